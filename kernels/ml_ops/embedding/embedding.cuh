// embedding: what the variants share.
//
// The table is vocabulary x dim, row-major; token t's row is the table's row ids[t]. Ids are i32 or i64 (`wide`). One that is
// not below `vocabulary`, or negative, names no row: it reads nothing and adds to nothing.
#ifndef EMBEDDING_CUH
#define EMBEDDING_CUH

#include "kz/kernel.cuh"
#include "tune.h"

struct embedding_ids {
    const void *ids;
    size_t vocabulary;
    bool wide;

    __device__ __forceinline__ unsigned long long at(size_t token) const {
        return wide ? (unsigned long long)((const long long *)ids)[token]
                    : (unsigned long long)(long long)((const int *)ids)[token];
    }
    // As unsigned, a negative id is past every vocabulary.
    __device__ __forceinline__ bool names_row(unsigned long long id) const { return id < vocabulary; }
};

// An index is rarely past 2^32, and a division of 64 bits takes about 20 instructions where one of 32 takes 8.
static __device__ __forceinline__ size_t embedding_divide(size_t index, size_t by) {
    return (index | by) >> 32 ? index / by : (unsigned)index / (unsigned)by;
}

// ---- accesses of N elements: 16 bytes, or one element where rows do not begin at 16 bytes ---------------------

template <typename T, int N> union embedding_access {
    uint4 raw;
    T at[N];
};
template <typename T> union embedding_access<T, 1> { T at[1]; };

template <typename T, int N>
static __device__ __forceinline__ embedding_access<T, N> embedding_load(const T *from) {
    embedding_access<T, N> access;
    if constexpr (N > 1)
        access.raw = kz_load<KZ_CACHE>((const uint4 *)from);
    else
        access.at[0] = *from;
    return access;
}
template <typename T, int N>
static __device__ __forceinline__ void embedding_store(T *to, const embedding_access<T, N> &access) {
    if constexpr (N > 1)
        kz_store<KZ_CACHE>((uint4 *)to, access.raw);
    else
        *to = access.at[0];
}

template <typename T>
static __device__ __forceinline__ bool embedding_has_packs(const T *a, const T *b, size_t dim) {
    return (((size_t)a | (size_t)b) % 16 == 0) && dim * sizeof(T) % 16 == 0;
}

// ---- entries -------------------------------------------------------------------------------------------------

// Rows are only moved: elements are integers of as many bytes.
#define EMBEDDING_GATHER(idea, function)                                                                     \
    KZ_ENTRY(embedding_##idea##_gather_u32)                                                                  \
    (const uint32_t *table, const void *ids, uint32_t *rows, size_t tokens, size_t vocabulary, size_t dim,   \
     size_t wide) {                                                                                          \
        function(table, embedding_ids{ids, vocabulary, wide != 0}, rows, tokens, dim);                       \
    }                                                                                                        \
    KZ_ENTRY(embedding_##idea##_gather_u16)                                                                  \
    (const uint16_t *table, const void *ids, uint16_t *rows, size_t tokens, size_t vocabulary, size_t dim,   \
     size_t wide) {                                                                                          \
        function(table, embedding_ids{ids, vocabulary, wide != 0}, rows, tokens, dim);                       \
    }

// ENTRY(type, T) for the types of the family.
#define EMBEDDING_TYPES(ENTRY)                                                                               \
    ENTRY(f32, float)                                                                                        \
    ENTRY(f16, kz_f16)                                                                                       \
    ENTRY(bf16, kz_bf16)

#endif

// embedding 01: naive
//
// Idea     gather: a thread per element looks up the id of its token. gradient: a thread per element adds it to the table by
//          an atomic.
// Change   the first version. The half types' gradient is added in a float table in the workspace and rounded by a second
//          launch.
// Expect   gather: coalesced, two bytes or four per access. gradient: right up to the order of the sums, which is
//          another one in each run.
// Limit    gather: a division and a look-up for each element (see 02). gradient: all tokens of one id contend for its row, and
//          a table of floats is filled, added to and read (see 04). The hardware's atomic takes denormals as zero.

#include "embedding.cuh"

template <typename T>
static __device__ __forceinline__ void gather(const T *table, embedding_ids ids, T *rows, size_t tokens,
                                              size_t dim) {
    for (size_t i = kz_thread(); i < tokens * dim; i += kz_threads()) {
        size_t token = i / dim;
        unsigned long long id = ids.at(token);
        rows[i] = ids.names_row(id) ? table[id * dim + (i - token * dim)] : T(0);
    }
}
EMBEDDING_GATHER(naive, gather)

template <typename T>
static __device__ __forceinline__ void add_all(const T *d_rows, embedding_ids ids, float *sums, size_t tokens,
                                               size_t dim, size_t padding) {
    for (size_t i = kz_thread(); i < tokens * dim; i += kz_threads()) {
        size_t token = i / dim;
        unsigned long long id = ids.at(token);
        if (ids.names_row(id) && id + 1 != padding)
            atomicAdd(&sums[id * dim + (i - token * dim)], kz_widen(d_rows[i]));
    }
}

template <typename T>
static __device__ __forceinline__ void round_all(const float *sums, T *d_table, size_t count) {
    for (size_t i = kz_thread(); i < count; i += kz_threads()) kz_narrow(&d_table[i], sums[i]);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(embedding_naive_gradient_##type)                                                                \
    (const T *d_rows, const void *ids, float *sums, size_t tokens, size_t vocabulary, size_t dim,            \
     size_t wide, size_t padding) {                                                                          \
        add_all(d_rows, embedding_ids{ids, vocabulary, wide != 0}, sums, tokens, dim, padding);              \
    }
EMBEDDING_TYPES(ENTRY)

KZ_ENTRY(embedding_naive_round_gradient_f16)(const float *sums, kz_f16 *d_table, size_t count) {
    round_all(sums, d_table, count);
}
KZ_ENTRY(embedding_naive_round_gradient_bf16)(const float *sums, kz_bf16 *d_table, size_t count) {
    round_all(sums, d_table, count);
}

// top_k: what the variants share: candidates, rows read by a block, a sort in shared memory.
//
// A candidate is an element as one integer: its ordered key above, the complement of its index below. Candidates of a row
// are all different, and in descending order they are the answer's: equal values by the lower index, NaN first.
#ifndef TOP_K_CUH
#define TOP_K_CUH

#include "kz/device/ordered_key.cuh"

typedef unsigned long long candidate; // 0 is no element's

template <typename T> static __device__ __forceinline__ candidate candidate_of(T x, unsigned index) {
    return (candidate)kz_ordered_key(x) << 32 | (unsigned)~index;
}

// The key gives the value back, save the sign of a zero and the payload of a NaN: those are read again.
template <typename T>
static __device__ __forceinline__ void put(const T *row, T *value, int *at, uint32_t key, unsigned index) {
    T x;
    kz_from_bits(&x, kz_bits_of_key<T>(key));
    if (key == kz_key_of_zero<T>() || key == kz_key_most<T>()) x = row[index];
    *value = x;
    *at = (int)index;
}
template <typename T>
static __device__ __forceinline__ void put(const T *row, T *value, int *at, candidate c) {
    put(row, value, at, (uint32_t)(c >> 32), ~(unsigned)c);
}

// visit(x, index) for each element of a row, by all threads of a block: packs of 16 bytes, and single elements before the
// first and behind the last whole one.
template <typename T, typename Visit>
static __device__ __forceinline__ void visit_row(const T *row, unsigned columns, Visit visit) {
    constexpr unsigned EACH = 16 / sizeof(T);
    unsigned head = (unsigned)((16 - (size_t)row % 16) % 16 / sizeof(T));
    head = min(head, columns);
    if (threadIdx.x < head) visit(row[threadIdx.x], threadIdx.x);
    unsigned packs = (columns - head) / EACH;
    for (unsigned p = threadIdx.x; p < packs; p += blockDim.x) {
        unsigned first = head + p * EACH;
        kz_pack<T> pack = kz_load_pack<KZ_CACHE>(row + first);
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) visit(pack.at[e], first + e);
    }
    for (unsigned i = head + packs * EACH + threadIdx.x; i < columns; i += blockDim.x) visit(row[i], i);
}

// Descending, by all threads of a block; n is a power of two. A bitonic network: the pairs of a step are disjoint.
static __device__ __forceinline__ void sort_shared(candidate *list, unsigned n) {
    for (unsigned size = 2; size <= n; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < n / 2; i += blockDim.x) {
                unsigned low = 2 * i - (i & (step - 1)), high = low + step;
                candidate a = list[low], b = list[high];
                if ((a < b) == ((low & size) == 0)) list[low] = b, list[high] = a;
            }
        }
    __syncthreads();
}

static __device__ __forceinline__ unsigned power_of_two(unsigned n) {
    return n < 2 ? 1 : 1u << (32 - __clz((int)(n - 1)));
}

// list[0, count) sorted, with room for the next power of two; its first k are the answer.
template <typename T>
static __device__ __forceinline__ void sort_and_put(const T *row, T *values, int *index, candidate *list,
                                                    unsigned count, unsigned k) {
    unsigned room = power_of_two(count);
    for (unsigned i = count + threadIdx.x; i < room; i += blockDim.x) list[i] = 0;
    sort_shared(list, room);
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) put(row, &values[i], &index[i], list[i]);
}

// ENTRY(type, T) for the types of the family.
#define TOP_K_TYPES(ENTRY)                                                                                   \
    ENTRY(f32, float)                                                                                        \
    ENTRY(f16, kz_f16)                                                                                       \
    ENTRY(bf16, kz_bf16)

// A kernel of a block per row: body(x's row, values' row, index' row, columns, k).
#define TOP_K_BLOCK_ENTRY(name, threads, body, type, T)                                                      \
    KZ_ENTRY_BOUNDS(top_k_##name##_top_k_##type, threads, 1)                                                 \
    (const T *x, T *values, int *index, size_t rows, size_t columns, size_t k) {                             \
        size_t row = blockIdx.x;                                                                             \
        body(x + row * columns, values + row * k, index + row * k, (unsigned)columns, (unsigned)k);          \
    }

#endif

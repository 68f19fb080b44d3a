// elementwise 02: 16 bytes per thread
//
// Idea     01 issues a load per element; the hardware can move 16 bytes per thread and instruction.
// Change   each thread does one pack: 4 floats or 8 halves. The few left over go one by one.
// Expect   a quarter (f32) or an eighth (f16, bf16) of the memory instructions; most for the half types.
// Limit    a thread waits for its one load before it does anything (see 03).

#include "elementwise.cuh"

template <int operation, typename T> static __device__ void vector(const T *x, T *y, size_t n, float factor) {
    const int PACK = 16 / sizeof(T);
    size_t first = kz_thread() * PACK;
    if (first >= n) return;
    if (kz_aligned(x, 16) && kz_aligned(y, 16) && first + PACK <= n) {
        kz_pack<T> pack = kz_load_pack<KZ_CACHE>(x + first);
#pragma unroll
        for (int e = 0; e < PACK; e++) kz_narrow(&pack.at[e], apply<operation>(kz_widen(pack.at[e]), factor));
        kz_store_pack<KZ_CACHE>(y + first, pack);
        return;
    }
    for (size_t i = first; i < n && i < first + PACK; i++)
        kz_narrow(&y[i], apply<operation>(kz_widen(x[i]), factor));
}

#define ENTRY(operation, OPERATION, type, T)                                                                 \
    KZ_ENTRY(elementwise_vector_##operation##_##type)(const T *x, T *y, size_t n, float factor) {            \
        vector<OPERATION>(x, y, n, factor);                                                                  \
    }
ELEMENTWISE_ALL(ENTRY)

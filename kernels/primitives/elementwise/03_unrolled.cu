// elementwise 03: several packs in flight
//
// Idea     DRAM is kept busy by bytes in flight: ask for more of them at once.
// Change   a block does a tile: each thread loads all its packs first, then computes and stores them.
// Expect   peak DRAM bandwidth for scale, relu and every f32 operation.
// Limit    for half types gelu and silu have twice the elements per byte: erff and expf with their careful
//          branches and divisions become the limit before DRAM does (see 04).

#include "unrolled.cuh"

template <int operation> struct careful {
    static __device__ __forceinline__ float at(float x, float factor) { return apply<operation>(x, factor); }
};

#define ENTRY(operation, OPERATION, type, T)                                                                 \
    KZ_ENTRY_BOUNDS(elementwise_unrolled_##operation##_##type, THREADS, 1)                                   \
    (const T *x, T *y, size_t n, float factor) { unrolled<careful<OPERATION>>(x, y, n, factor); }
ELEMENTWISE_ALL(ENTRY)

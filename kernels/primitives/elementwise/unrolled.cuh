// elementwise: the tile that 03 and 04 share; they differ in the arithmetic alone.
//
// A block does THREADS * PACKS packs. Each thread loads all its packs, a block's width apart, before it uses
// the first. `Apply` is a struct with `static float at(float x, float factor)`.
#ifndef ELEMENTWISE_UNROLLED_CUH
#define ELEMENTWISE_UNROLLED_CUH

#include "elementwise.cuh"
#include "tune.h"

enum { THREADS = ELEMENTWISE_UNROLLED_THREADS, PACKS = ELEMENTWISE_UNROLLED_PACKS };

template <typename Apply, typename T>
static __device__ __forceinline__ void unrolled(const T *x, T *y, size_t n, float factor) {
    const int PACK = 16 / sizeof(T);
    const int TILE = THREADS * PACKS * PACK;
    size_t tile = (size_t)blockIdx.x * TILE;
    if (!kz_aligned(x, 16) || !kz_aligned(y, 16) || tile + TILE > n) {
        size_t end = tile + TILE < n ? tile + TILE : n;
#pragma unroll 1
        for (size_t i = tile + threadIdx.x; i < end; i += THREADS)
            kz_narrow(&y[i], Apply::at(kz_widen(x[i]), factor));
        return;
    }

    kz_pack<T> pack[PACKS];
    size_t first = tile + threadIdx.x * PACK;
#pragma unroll
    for (int p = 0; p < PACKS; p++)
        pack[p] = kz_load_pack<ELEMENTWISE_UNROLLED_LOAD>(x + first + p * THREADS * PACK);
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
#pragma unroll
        for (int e = 0; e < PACK; e++) kz_narrow(&pack[p].at[e], Apply::at(kz_widen(pack[p].at[e]), factor));
        kz_store_pack<ELEMENTWISE_UNROLLED_STORE>(y + first + p * THREADS * PACK, pack[p]);
    }
}

#endif

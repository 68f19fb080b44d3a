// saxpy 04: several packs in flight
//
// Idea     DRAM is kept busy by bytes in flight: ask for more of them at once.
// Change   a block does a tile: each thread first loads all its packs of x and y, a block's width apart, then
//          multiplies, adds and stores.
// Expect   2 * PACKS independent 16-byte loads per thread before the first use; peak DRAM bandwidth.
// Limit    the peak itself, which 03 reaches too on an H200: 12 bytes move per multiply-add. Unaligned
//          pointers go one element at a time.

#include "kz/kernel.cuh"
#include "tune.h"

enum {
    THREADS = SAXPY_UNROLLED_THREADS,
    PACKS = SAXPY_UNROLLED_PACKS,
    PACK = 4,
    TILE = THREADS * PACKS * PACK, // elements per block
};

KZ_ENTRY_BOUNDS(saxpy_unrolled_saxpy_f32, THREADS, 1)(float a, const float *x, float *y, size_t n) {
    size_t tile = (size_t)blockIdx.x * TILE;
    if (!kz_aligned(x, 16) || !kz_aligned(y, 16) || tile + TILE > n) {
        size_t end = tile + TILE < n ? tile + TILE : n;
#pragma unroll 1
        for (size_t i = tile + threadIdx.x; i < end; i += THREADS) y[i] = a * x[i] + y[i];
        return;
    }

    kz_pack<float> u[PACKS], v[PACKS];
    size_t first = tile + threadIdx.x * PACK;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
        u[p] = kz_load_pack<SAXPY_UNROLLED_LOAD>(x + first + p * THREADS * PACK);
        v[p] = kz_load_pack<SAXPY_UNROLLED_LOAD>(y + first + p * THREADS * PACK);
    }
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
        for (int e = 0; e < PACK; e++) v[p].at[e] = a * u[p].at[e] + v[p].at[e];
        kz_store_pack<SAXPY_UNROLLED_STORE>(y + first + p * THREADS * PACK, v[p]);
    }
}

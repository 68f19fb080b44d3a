// vector_add 04: several packs in flight
//
// Idea     DRAM is kept busy by bytes in flight: ask for more of them at once.
// Change   a block adds a tile: each thread first loads all its packs of x and y, a block's width apart, then
//          adds and stores.
// Expect   2 * PACKS independent 16-byte loads per thread before the first use; peak DRAM bandwidth.
// Limit    the peak itself, which 03 reaches too on an H200: 12 bytes move per addition. Unaligned
//          pointers go one element at a time.

#include "kz/kernel.cuh"
#include "tune.h"

enum {
    THREADS = VECTOR_ADD_UNROLLED_THREADS,
    PACKS = VECTOR_ADD_UNROLLED_PACKS,
    PACK = 4,
    TILE = THREADS * PACKS * PACK, // elements per block
};

KZ_ENTRY_BOUNDS(vector_add_unrolled_add_f32, THREADS, 1)
(const float *x, const float *y, float *z, size_t n) {
    size_t tile = (size_t)blockIdx.x * TILE;
    bool aligned = kz_aligned(x, 16) && kz_aligned(y, 16) && kz_aligned(z, 16);
    if (!aligned || tile + TILE > n) {
        size_t end = tile + TILE < n ? tile + TILE : n;
#pragma unroll 1
        for (size_t i = tile + threadIdx.x; i < end; i += THREADS) z[i] = x[i] + y[i];
        return;
    }

    kz_pack<float> a[PACKS], b[PACKS];
    size_t first = tile + threadIdx.x * PACK;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
        a[p] = kz_load_pack<VECTOR_ADD_UNROLLED_LOAD>(x + first + p * THREADS * PACK);
        b[p] = kz_load_pack<VECTOR_ADD_UNROLLED_LOAD>(y + first + p * THREADS * PACK);
    }
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
        for (int e = 0; e < PACK; e++) a[p].at[e] += b[p].at[e];
        kz_store_pack<VECTOR_ADD_UNROLLED_STORE>(z + first + p * THREADS * PACK, a[p]);
    }
}

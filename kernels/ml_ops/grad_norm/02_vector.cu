// grad_norm 02: 16 bytes per access, several in flight
//
// Idea     only bytes in flight keep DRAM busy: load 16 at a time, and the next before the last has come.
// Change   01 in packs of 4 floats or 8 halves, four of them at once, each with a sum of its own. A tensor's two ends are done
//          element by element, wherever it begins.
// Expect   near a copy's rate while blocks last; clipping is done with this: it reads and writes each element once.
// Limit    a block's fold, its two barriers and its atomic come after every 8192 elements (see 03).

#include "grad_norm.cuh"

template <typename T> static __device__ __forceinline__ void vector(const norm_run<T> &run) {
    float sums[GRAD_NORM_PACKS] = {};
    norm_add_chunk<GRAD_NORM_PACKS>(sums, norm_find_chunk(run.gradients, run.table, run.list[blockIdx.x]));
#pragma unroll
    for (int k = 1; k < GRAD_NORM_PACKS; k++) sums[0] += sums[k];
    sums[0] = kz_fold_block<KZ_SUM>(sums[0]);
    if (threadIdx.x == 0) atomicAdd(run.sums, sums[0]);
}

template <typename T> static __device__ __forceinline__ kz_pack<T> times(kz_pack<T> pack, float factor) {
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++) kz_narrow(&pack.at[e], kz_widen(pack.at[e]) * factor);
    return pack;
}

template <typename T> static __device__ __forceinline__ void clip(norm_chunk<T> c, float factor) {
    const int PACKS = GRAD_NORM_PACKS;
    const unsigned LANES = 16 / sizeof(T), STRIDE = GRAD_NORM_THREADS * LANES;
    unsigned end = c.head + (c.count - c.head) / LANES * LANES, i = c.head + threadIdx.x * LANES;
#pragma unroll 1
    for (; i + (PACKS - 1) * STRIDE < end; i += PACKS * STRIDE) {
        kz_pack<T> pack[PACKS];
#pragma unroll
        for (int k = 0; k < PACKS; k++) pack[k] = kz_load_pack<KZ_CACHE>(c.at + i + k * STRIDE);
#pragma unroll
        for (int k = 0; k < PACKS; k++)
            kz_store_pack<KZ_CACHE>(c.at + i + k * STRIDE, times(pack[k], factor));
    }
#pragma unroll 1
    for (; i < end; i += STRIDE)
        kz_store_pack<KZ_CACHE>(c.at + i, times(kz_load_pack<KZ_CACHE>(c.at + i), factor));
    if (threadIdx.x < c.head) kz_narrow(&c.at[threadIdx.x], kz_widen(c.at[threadIdx.x]) * factor);
    if (threadIdx.x < c.count - end)
        kz_narrow(&c.at[end + threadIdx.x], kz_widen(c.at[end + threadIdx.x]) * factor);
}

NORM_ENTRIES(vector, vector)
NORM_ENTRIES(vector_finish, norm_finish_cell)
CLIP_ENTRIES(vector, clip)

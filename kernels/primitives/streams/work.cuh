// streams: the work between the copies, the same in every variant. x <- a * x + b, `rounds` times over: arithmetic
// that can be had in any amount, so that the kernel can be made shorter or longer than the copies around it.
#ifndef STREAMS_WORK_CUH
#define STREAMS_WORK_CUH

#include "kz/kernel.cuh"
#include "tune.h"

// Four chains at a time, so that a warp has four multiply-adds in flight.
static __device__ __forceinline__ void streams_work(float *x, size_t n, unsigned rounds, float a, float b) {
    size_t packs = n / 4;
    for (size_t i = kz_thread(); i < packs; i += kz_threads()) {
        kz_pack<float> v = kz_load_pack<KZ_CACHE>(x + 4 * i);
#pragma unroll 8
        for (unsigned r = 0; r < rounds; r++)
            for (int e = 0; e < 4; e++) v.at[e] = fmaf(a, v.at[e], b);
        kz_store_pack<KZ_CACHE>(x + 4 * i, v);
    }
    for (size_t i = 4 * packs + kz_thread(); i < n; i += kz_threads()) {
        float v = x[i];
#pragma unroll 1
        for (unsigned r = 0; r < rounds; r++) v = fmaf(a, v, b);
        x[i] = v;
    }
}

#define STREAMS_ENTRY(idea)                                                                                  \
    KZ_ENTRY_BOUNDS(streams_##idea##_work_f32, STREAMS_THREADS, STREAMS_BLOCKS)                              \
    (float *x, size_t n, unsigned rounds, float a, float b) { streams_work(x, n, rounds, a, b); }

#endif

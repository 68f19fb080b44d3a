// pagerank: what the variants share: the formula's two constants, a vertex's share, and the launches that come before.
//
//     next[v] = (1 - 0.85) / vertices + 0.85 * (the sum over all edges u -> v of rank[u] / (edges out of u))
#ifndef PAGERANK_CUH
#define PAGERANK_CUH

#include "kz/kernel.cuh"
#include "tune.h"

#define DAMPING 0.85f

// What every vertex has, whoever points at it.
static __device__ __forceinline__ float ground(size_t vertices) { return (1.0f - DAMPING) / (float)vertices; }

// What an edge out of v carries.
static __device__ __forceinline__ float share_of(const unsigned *out_offsets, const float *rank, size_t v) {
    return rank[v] / (float)(out_offsets[v + 1] - out_offsets[v]);
}

// Before a push: every sum begins at the ground.
#define PAGERANK_START(idea)                                                                                 \
    KZ_ENTRY(pagerank_##idea##_start_f32)(float *next, size_t vertices) {                                    \
        size_t v = kz_thread();                                                                              \
        if (v < vertices) next[v] = ground(vertices);                                                        \
    }

// Before a pull: every vertex's share, once. Without an edge out it is never asked for.
#define PAGERANK_SHARES(idea)                                                                                \
    KZ_ENTRY(pagerank_##idea##_shares_f32)                                                                   \
    (const unsigned *out_offsets, const float *rank, float *share, size_t vertices) {                        \
        size_t v = kz_thread();                                                                              \
        if (v < vertices) share[v] = share_of(out_offsets, rank, v);                                         \
    }

#endif

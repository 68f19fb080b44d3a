// sgemm: tiles whose k is divided among blocks, from 11 on.
#ifndef SGEMM_SPLIT_CUH
#define SGEMM_SPLIT_CUH

#include "parts.cuh"
#include "pipeline.cuh"

// A tile in shared memory, for others to read. Rows that a quarter of a warp writes together lie in different banks.
template <typename S> struct staged {
    enum { PITCH = S::WIDTH % 32 == 16 ? S::WIDTH : S::WIDTH + 16, FLOATS = S::HEIGHT * PITCH };
};

template <typename S>
static __device__ __forceinline__ void stage_tile(const registers<S> &r, const thread_tile<S> &at,
                                                  float *part) {
    float *line = part + at.row * staged<S>::PITCH + at.column;
    unsigned in_order = make_order();
#pragma unroll
    for (int i = 0; i < S::ROWS; i++)
#pragma unroll
        for (int q = 0; q < S::QUADS; q++)
            *(uint4 *)(line + 8 * i * staged<S>::PITCH + 16 * q) =
                copy_quad_elsewhere(r.c[i] + 4 * q, in_order);
}

template <typename S>
static __device__ __forceinline__ corner find_shared_tile(const problem &p, const share &s) {
    return find_grouped_tile(s.tile, p.m, p.n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
}

template <typename S, int STAGES, int UNROLL>
static __device__ __forceinline__ void run_split(const problem &p, float *partials, unsigned groups) {
    extern __shared__ __align__(128) float stages[];
    registers<S> values;
    thread_tile<S> at;
    {
        const share s(groups);
        size_t from, to;
        s.find_part(p.k, S::DEPTH, groups, from, to);
        corner tile = find_shared_tile<S>(p, s);
        multiply_chunks<S, STAGES, UNROLL>(values, p, tile, from, to, stages, at);
    }
    const share s(groups); // worked out anew: no registers for it in the loop
    corner tile = find_shared_tile<S>(p, s);
    if (s.size * groups == 1) {
        write_tile<S>(values, p.c, p.m, p.n, tile, at);
        return;
    }
    __syncthreads(); // all chunks are read
    stage_tile<S>(values, at, stages);
    add_parts<S::HEIGHT, S::WIDTH, staged<S>::PITCH, S::THREADS>(s, groups, stages, tile, p.c, p.m, p.n,
                                                                 partials);
}

#endif

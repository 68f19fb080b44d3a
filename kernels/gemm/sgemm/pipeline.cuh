// sgemm: a block's ring of chunks, filled by cp.async while it multiplies: 08, and the small tiles from 11 on.
#ifndef SGEMM_PIPELINE_CUH
#define SGEMM_PIPELINE_CUH

#include "fetch.cuh"

// The products of k from `from` (a multiple of DEPTH) to `to`, for one tile, with STAGES chunks in shared memory: one in
// use, the others on their way.
template <typename S, int STAGES, int UNROLL, bool QUADS>
static __device__ __forceinline__ void multiply_by(registers<S> &values, const problem &p, corner tile,
                                                   size_t from, size_t to, float *stages,
                                                   const thread_tile<S> &at) {
    clear(values);
    if (from >= to) return;
    fetcher<S, S::THREADS, QUADS> fetch(p, tile, from, to, threadIdx.x);
    const unsigned first = kz_shared_address(stages), bytes = 4 * S::STAGE_FLOATS;
    for (unsigned s = 0; s < STAGES - 1; s++) {
        if (fetch.left > 0) fetch.next(first + s * bytes);
        commit_copies(); // an empty group too: groups are counted
    }
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    read_first<S>(values, at.a(first), at.b(first));

    unsigned now = 0, free = STAGES - 1;
    for (size_t x = from; x < to; x += S::DEPTH) {
        if (fetch.left > 0) fetch.next(first + free * bytes);
        commit_copies();
        unsigned chunk = first + now * bytes, left = at.a(chunk), right = at.b(chunk);
        multiply_inner<S, UNROLL>(values, left, right);
        multiply_three<S>(values, right);
        // Nobody reads this chunk any more, and the next one is there.
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        free = now;
        now = now + 1 == STAGES ? 0 : now + 1;
        if (x + S::DEPTH < to) chunk = first + now * bytes;
        multiply_fourth<S>(values, at.a(chunk), at.b(chunk));
    }
}

template <typename S, int STAGES, int UNROLL>
static __device__ __forceinline__ void multiply_chunks(registers<S> &values, const problem &p, corner tile,
                                                       size_t from, size_t to, float *stages,
                                                       const thread_tile<S> &at) {
    if (has_quads(p.a, p.a_line) && has_quads(p.b, p.b_line))
        multiply_by<S, STAGES, UNROLL, true>(values, p, tile, from, to, stages, at);
    else
        multiply_by<S, STAGES, UNROLL, false>(values, p, tile, from, to, stages, at);
}

#endif

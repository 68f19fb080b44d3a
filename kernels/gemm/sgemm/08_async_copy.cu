// sgemm 08: asynchronous copies
//
// Idea     while one chunk is multiplied, the next ones can be on their way.
// Change   shared memory holds STAGES chunks. cp.async copies straight into it, past the registers; the
//          copies of a chunk begin STAGES - 1 chunks before it is needed. One barrier per chunk instead of
//          two: it says that the next chunk is there for all, and that the oldest may be overwritten.
// Expect   no waiting for memory; the numbers for the next k are read across the border of chunks as well.
// Limit    every thread takes part in copying, all warps meet once per chunk, and a block that ends leaves
//          its multiprocessor with the other block alone until the next has started (see 09).
// kz: sm 80

#include "fetch.cuh"
#include "tune.h"

typedef shape<SGEMM_ASYNC_DOWN, SGEMM_ASYNC_ACROSS, 4, SGEMM_ASYNC_DEPTH> S;
enum { STAGES = SGEMM_ASYNC_STAGES };

template <int BY> static __device__ __forceinline__ void run(const problem &p, float *stages) {
    corner tile = find_grouped_tile(blockIdx.x, p.m, p.n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
    fetcher<S, BY, S::THREADS> fetch(p, tile, threadIdx.x);
    thread_tile<S> at;
    registers<S> values;
    clear(values);
    for (unsigned s = 0; s < STAGES - 1; s++) {
        if (fetch.left > 0) fetch.next(stages + s * S::STAGE_FLOATS);
        commit_copies(); // an empty group too: groups are counted
    }
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    const unsigned first = kz_shared_address(stages), bytes = 4 * S::STAGE_FLOATS;
    if (p.k > 0) read_first<S>(values, at.a(first), at.b(first));

    unsigned now = 0, free = STAGES - 1;
    for (size_t x = 0; x < p.k; x += S::DEPTH) {
        if (fetch.left > 0) fetch.next(stages + free * S::STAGE_FLOATS);
        commit_copies();
        unsigned chunk = first + now * bytes, left = at.a(chunk), right = at.b(chunk);
        multiply_inner<S, SGEMM_ASYNC_UNROLL>(values, left, right);
        multiply_three<S>(values, right);
        // Nobody reads this chunk any more, and the next one is there.
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        free = now;
        now = now + 1 == STAGES ? 0 : now + 1;
        if (x + S::DEPTH < p.k) chunk = first + now * bytes;
        multiply_fourth<S>(values, at.a(chunk), at.b(chunk));
    }
    write_tile<S>(values, p.c, p.m, p.n, tile, at);
}

KZ_ENTRY_BOUNDS(sgemm_async_copy_gemm_f32, S::THREADS, SGEMM_ASYNC_BLOCKS)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    extern __shared__ __align__(128) float stages[];
    const problem p = {a, b, c, m, n, k};
    if (has_quads(a, k) && has_quads(b, n))
        run<4>(p, stages);
    else
        run<1>(p, stages);
}

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

#include "pipeline.cuh"
#include "tune.h"

typedef shape<SGEMM_ASYNC_DOWN, SGEMM_ASYNC_ACROSS, 4, SGEMM_ASYNC_DEPTH> S;
enum { STAGES = SGEMM_ASYNC_STAGES };

KZ_ENTRY_BOUNDS(sgemm_async_copy_gemm_f32, S::THREADS, SGEMM_ASYNC_BLOCKS)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    extern __shared__ __align__(128) float stages[];
    const problem p = {a, b, c, m, n, k, k, n};
    corner tile = find_grouped_tile(blockIdx.x, m, n, S::HEIGHT, S::WIDTH, SGEMM_GROUP);
    registers<S> values;
    thread_tile<S> at;
    multiply_chunks<S, STAGES, SGEMM_ASYNC_UNROLL>(values, p, tile, 0, k, stages, at);
    write_tile<S>(values, c, m, n, tile, at);
}

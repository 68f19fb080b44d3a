// sgemm 09: warp specialization, persistent blocks
//
// Idea     in 08 all warps stop at a barrier for every chunk, each thread spends instructions on copies, and
//          between two tiles nothing is computed. Let producer warps load for all, so that the others never need a common barrier.
// Change   blocks are persistent and take tile after tile, 128 x 256 each. Four warps beside
//          the eight that multiply fill a ring of stages, a by cp.async and rows of b by cp.async.bulk,
//          across the borders of tiles; a barrier object per stage counts what came, another the warps that
//          are done with it.
// Expect   in the loop 512 FFMA, 24 LDS.128 and 7 others per 4 k; with the fetching, 91% of issue slots
//          multiply.
// Limit    tiles this large leave multiprocessors without work where the matrix has few of them (see 10).
//          Where rows do not begin at multiples of 16 bytes, all is copied element by element.
// kz: sm 90a

#include "producer.cuh"

typedef shape<SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH> S;

KZ_ENTRY_BOUNDS(sgemm_warp_specialized_gemm_f32, S::THREADS + PRODUCERS, 1)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) { run<S>({a, b, c, m, n, k, k, n}); }

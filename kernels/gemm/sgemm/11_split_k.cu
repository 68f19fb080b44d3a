// sgemm 11: k divided among blocks
//
// Idea     512 x 512 has 32 tiles of 128 x 64, for 132 multiprocessors. c cannot be divided much further, for a small tile
//          reads too much. But k can: a sum of 512 products is a sum of four sums of 128.
// Change   tiles of 64 x 64, 4 x 8 per thread, as in 08. A cluster of up to 8 blocks has the same tile and each block its
//          own part of k. At the end they read each other's sums from shared memory, each for a slice of the tile. Where
//          that is not enough, several clusters have a tile, leave their sums in the workspace, and the one that comes
//          last adds them up.
// Expect   work for all multiprocessors from some 20 tiles on without any workspace, and from one tile on with it. Sums
//          are in the order of k: the result is the same every time.
// Limit    12 loads for 128 multiply-adds: large matrices are better off with large tiles (see 12).
// kz: sm 90

#include "split.cuh"

typedef shape<2, 2, 2, SGEMM_SPLIT_DEPTH, 4> S;

KZ_ENTRY_BOUNDS(sgemm_split_k_gemm_f32, S::THREADS, SGEMM_SPLIT_BLOCKS)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k, float *partials, size_t groups) {
    run_split<S, SGEMM_SPLIT_STAGES, 3>({a, b, c, m, n, k, k, n}, partials, (unsigned)groups);
}

// sgemm 10: tile selection by the matrix's size
//
// Idea     a multiprocessor without a tile does nothing, and the last round is rarely full: 1024 x 1024 has
//          32 tiles of 128 x 256 for 132 multiprocessors.
// Change   a second kernel with tiles of 128 x 64, 8 x 8 per thread, two blocks per multiprocessor. The plan
//          takes whichever leaves less work to the multiprocessor that has most.
// Expect   as 09 for large matrices; four times as many at work for small ones.
// Limit    16 loads for 256 multiply-adds in small tiles: 94.1% instead of 95.5%. Below some 100 tiles of
//          either kind only splitting k would help.
// kz: sm 90a

#include "producer.cuh"

typedef shape<SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH> large;
typedef shape<2, 2, 2, SGEMM_PRODUCER_DEPTH> small;

KZ_ENTRY_BOUNDS(sgemm_tile_selection_large_gemm_f32, large::THREADS + PRODUCERS, 1)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    run<large>({a, b, c, m, n, k, k, n});
}

KZ_ENTRY_BOUNDS(sgemm_tile_selection_small_gemm_f32, small::THREADS + PRODUCERS, SGEMM_SMALL_BLOCKS)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    run<small>({a, b, c, m, n, k, k, n});
}

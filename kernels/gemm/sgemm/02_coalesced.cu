// sgemm 02: one element of c per thread, along the rows
//
// Idea     neighbours in a row of c need the same numbers of a and neighbouring numbers of b.
// Change   a block is 8 x 32 elements, a warp has a piece of a row. Nothing else.
// Expect   a request for a is one number for all lanes, one for b is 32 neighbours: 1 and 4 sectors.
// Limit    still 2 loads for each multiply-add: the load units, not the arithmetic, set the pace (see 03).

#include "sgemm.cuh"

enum { HEIGHT = 8, WIDTH = KZ_WARP };

KZ_ENTRY(sgemm_coalesced_gemm_f32)(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    corner tile = find_tile(n, HEIGHT, WIDTH);
    size_t row = tile.row + kz_warp();
    size_t column = tile.column + kz_lane();
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (size_t x = 0; x < k; x++) sum += a[row * k + x] * b[x * n + column];
    c[row * n + column] = sum;
}

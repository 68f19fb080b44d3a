// sgemm 01: one element of c per thread, down the columns
//
// Idea     each element of c is the product of a row of a and a column of b: give each a thread.
// Change   the first version. A block is 16 x 16 elements; neighbouring threads have neighbouring rows.
// Expect   the lanes of a warp read 16 rows of a, far apart: a request for a gives 16 sectors for 16 numbers.
// Limit    2 loads for each multiply-add, and most of each sector thrown away (see 02).

#include "sgemm.cuh"

enum { SIDE = 16 };

KZ_ENTRY(sgemm_naive_gemm_f32)(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    corner tile = find_tile(n, SIDE, SIDE);
    size_t row = tile.row + threadIdx.x % SIDE;
    size_t column = tile.column + threadIdx.x / SIDE;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (size_t x = 0; x < k; x++) sum += a[row * k + x] * b[x * n + column];
    c[row * n + column] = sum;
}

// sgemm 04: eight results per thread
//
// Idea     a number that is in a register costs nothing to use again: let one number of b serve several rows.
// Change   tiles of 64 x 64, 8 deep; a thread has 8 elements of one column of c, and one number of b for all
//          8.
// Expect   9 loads from shared memory for 8 multiply-adds, instead of 16.
// Limit    the numbers of a are still read once per use (see 05).

#include "sgemm.cuh"
#include "tune.h"

enum {
    SIDE = SGEMM_COLUMN_SIDE,
    DEPTH = SGEMM_COLUMN_DEPTH,
    ROWS = 8,
    THREADS = SIDE * SIDE / ROWS,
};
static_assert(THREADS == SIDE * DEPTH, "a thread loads one number of a and one of b");

KZ_ENTRY_BOUNDS(sgemm_register_column_gemm_f32, THREADS, 2)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    __shared__ float a_tile[SIDE][DEPTH], b_tile[DEPTH][SIDE];
    corner tile = find_tile(n, SIDE, SIDE);
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE * ROWS;
    unsigned a_row = threadIdx.x / DEPTH, a_x = threadIdx.x % DEPTH, b_x = threadIdx.x / SIDE;
    float sums[ROWS] = {0.0f};
    for (size_t at = 0; at < k; at += DEPTH) {
        a_tile[a_row][a_x] = element(a, m, k, tile.row + a_row, at + a_x);
        b_tile[b_x][x] = element(b, k, n, at + b_x, tile.column + x);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float right = b_tile[i][x];
#pragma unroll
            for (int r = 0; r < ROWS; r++) sums[r] += a_tile[y + r][i] * right;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        size_t row = tile.row + y + r, column = tile.column + x;
        if (row < m && column < n) c[row * n + column] = sums[r];
    }
}

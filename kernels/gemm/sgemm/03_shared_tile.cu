// sgemm 03: tiles in shared memory
//
// Idea     a block of 32 x 32 elements needs 32 rows of a and 32 columns of b, and 02 fetches each number 32
//          times. Fetch it once, for all.
// Change   the block goes along k in tiles of 32 x 32 of a and of b, loads both, and multiplies out of them.
// Expect   32 times fewer global loads; every sector is used whole.
// Limit    2 loads from shared memory for each multiply-add: the same ratio as before, only nearer (see 04).

#include "sgemm.cuh"
#include "tune.h"

enum { SIDE = SGEMM_SHARED_SIDE };

KZ_ENTRY_BOUNDS(sgemm_shared_tile_gemm_f32, SIDE *SIDE, 1)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    __shared__ float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
    corner tile = find_tile(n, SIDE, SIDE);
    unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    size_t row = tile.row + y, column = tile.column + x;
    float sum = 0.0f;
    for (size_t at = 0; at < k; at += SIDE) {
        a_tile[y][x] = element(a, m, k, row, at + x);
        b_tile[y][x] = element(b, k, n, at + y, column);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE; i++) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads(); // all are done with the tiles before they are overwritten
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

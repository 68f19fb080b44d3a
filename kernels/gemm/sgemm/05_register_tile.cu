// sgemm 05: 8 x 8 results per thread
//
// Idea     with a square of results in registers, numbers of a and of b both serve several times.
// Change   tiles of 128 x 128, 8 deep; a thread has 8 rows and 8 columns, 16 apart, so that neighbouring
//          threads read neighbouring banks.
// Expect   16 loads from shared memory for 64 multiply-adds: 1 for 4.
// Limit    each load brings 4 bytes per lane, where one instruction could bring 16 (see 06).

#include "sgemm.cuh"
#include "tune.h"

enum {
    SIDE = SGEMM_SQUARE_SIDE,
    DEPTH = SGEMM_SQUARE_DEPTH,
    EACH = 8,
    APART = SIDE / EACH,
    THREADS = APART * APART,
    LOADS = SIDE * DEPTH / THREADS, // of each matrix, per thread and chunk
};

KZ_ENTRY_BOUNDS(sgemm_register_tile_gemm_f32, THREADS, 2)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    __shared__ float a_tile[SIDE][DEPTH], b_tile[DEPTH][SIDE];
    corner tile = find_tile(n, SIDE, SIDE);
    unsigned x = threadIdx.x % APART, y = threadIdx.x / APART;
    float sums[EACH][EACH] = {{0.0f}};
    for (size_t at = 0; at < k; at += DEPTH) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            unsigned index = threadIdx.x + i * THREADS;
            unsigned a_row = index / DEPTH, a_x = index % DEPTH, b_x = index / SIDE, column = index % SIDE;
            a_tile[a_row][a_x] = element(a, m, k, tile.row + a_row, at + a_x);
            b_tile[b_x][column] = element(b, k, n, at + b_x, tile.column + column);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                left[e] = a_tile[y + e * APART][i];
                right[e] = b_tile[i][x + e * APART];
            }
#pragma unroll
            for (int r = 0; r < EACH; r++)
#pragma unroll
                for (int s = 0; s < EACH; s++) sums[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < EACH; r++)
#pragma unroll
        for (int s = 0; s < EACH; s++) {
            size_t row = tile.row + y + r * APART, column = tile.column + x + s * APART;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
}

// sgemm 06: four numbers at a time
//
// Idea     05 spends one instruction in five on loading 4 bytes per lane; a load can bring 16.
// Change   a thread's 8 rows and 8 columns are two quads each, 64 apart. a's tile is transposed on its way into
//          shared memory, so that 4 rows of one k lie together; its rows are padded by a quad, so that the
//          transposing writes hit each bank once. Global memory is read and written by quads too.
// Expect   4 loads from shared memory for 64 multiply-adds, no bank conflicts.
// Limit    a warp's 32 threads are 2 x 16: they read 16 + 128 numbers for 512 results (see 07). Global loads
//          are waited for, then the tile is multiplied: never both (see 08).

#include "sgemm.cuh"
#include "tune.h"

enum {
    SIDE = SGEMM_SQUARE_SIDE,
    DEPTH = SGEMM_SQUARE_DEPTH,
    QUAD = 4,
    EACH = 8,
    HALF = SIDE / 2,
    ACROSS = HALF / QUAD,
    THREADS = ACROSS * ACROSS,
    PITCH = SIDE + QUAD,
};
static_assert(THREADS * QUAD == SIDE * DEPTH, "a thread loads one quad of a and one of b");

// A quad of a matrix, zeros outside of it.
static __device__ __forceinline__ float4 read_quad(const float *matrix, size_t rows, size_t columns,
                                                   size_t row, size_t column, bool quads) {
    if (quads && row < rows && column < columns) return *(const float4 *)(matrix + row * columns + column);
    return make_float4(
        element(matrix, rows, columns, row, column), element(matrix, rows, columns, row, column + 1),
        element(matrix, rows, columns, row, column + 2), element(matrix, rows, columns, row, column + 3));
}

static __device__ __forceinline__ void write_quad(float *c, size_t m, size_t n, size_t row, size_t column,
                                                  const float *sums, bool quads) {
    if (row >= m) return;
    if (quads && column < n) {
        kz_store<KZ_CACHE>((uint4 *)(c + row * n + column),
                           make_uint4(__float_as_uint(sums[0]), __float_as_uint(sums[1]),
                                      __float_as_uint(sums[2]), __float_as_uint(sums[3])));
        return;
    }
#pragma unroll
    for (int i = 0; i < QUAD; i++)
        if (column + i < n) c[row * n + column + i] = sums[i];
}

KZ_ENTRY_BOUNDS(sgemm_vector_gemm_f32, THREADS, 2)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k) {
    __shared__ __align__(16) float a_tile[DEPTH][PITCH], b_tile[DEPTH][SIDE];
    corner tile = find_tile(n, SIDE, SIDE);
    bool a_quads = has_quads(a, k), b_quads = has_quads(b, n), c_quads = has_quads(c, n);
    unsigned x = threadIdx.x % ACROSS * QUAD, y = threadIdx.x / ACROSS * QUAD;
    unsigned a_row = threadIdx.x / 2, a_x = threadIdx.x % 2 * QUAD;
    unsigned b_x = threadIdx.x / KZ_WARP, b_column = kz_lane() * QUAD;
    float sums[EACH][EACH] = {{0.0f}};
    for (size_t at = 0; at < k; at += DEPTH) {
        float4 from_a = read_quad(a, m, k, tile.row + a_row, at + a_x, a_quads);
        float4 from_b = read_quad(b, k, n, at + b_x, tile.column + b_column, b_quads);
        a_tile[a_x + 0][a_row] = from_a.x;
        a_tile[a_x + 1][a_row] = from_a.y;
        a_tile[a_x + 2][a_row] = from_a.z;
        a_tile[a_x + 3][a_row] = from_a.w;
        *(float4 *)&b_tile[b_x][b_column] = from_b;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float left[EACH], right[EACH];
            *(float4 *)left = *(const float4 *)&a_tile[i][y];
            *(float4 *)(left + QUAD) = *(const float4 *)&a_tile[i][y + HALF];
            *(float4 *)right = *(const float4 *)&b_tile[i][x];
            *(float4 *)(right + QUAD) = *(const float4 *)&b_tile[i][x + HALF];
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
        for (int s = 0; s < EACH; s += QUAD)
            write_quad(c, m, n, tile.row + y + r % QUAD + r / QUAD * HALF, tile.column + x + s / QUAD * HALF,
                       sums[r] + s, c_quads);
}

// fails: race
// A fast warp fills the tiles while another still loads its fragments.
// kz: sm 80
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

enum { TILE = 32, DEPTH = 16, THREADS = 128 };

extern "C" __global__ void gemm(const __half *a, const __half *b, float *c,
                                int m, int n, int k) {
    __shared__ __align__(32) __half a_tile[TILE][DEPTH];
    __shared__ __align__(32) __half b_tile[DEPTH][TILE];
    __shared__ __align__(32) float c_tile[TILE][TILE];
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    int warp = threadIdx.x / 32, top = warp / 2 * 16, left = warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int first = 0; first < k; first += DEPTH) {
        __half zero = __float2half(0.0f);
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            int y = i / DEPTH, x = i % DEPTH; // of a
            bool inside = row + y < m && first + x < k;
            a_tile[y][x] = inside ? a[(row + y) * k + first + x] : zero;
            y = i / TILE, x = i % TILE; // of b
            inside = first + y < k && column + x < n;
            b_tile[y][x] = inside ? b[(first + y) * n + column + x] : zero;
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &a_tile[top][0], DEPTH);
        wmma::load_matrix_sync(fb, &b_tile[0][left], TILE);
        wmma::mma_sync(sums, fa, fb, sums);
    }
    wmma::store_matrix_sync(&c_tile[top][left], sums, TILE,
                            wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        int y = i / TILE, x = i % TILE;
        if (row + y < m && column + x < n)
            c[(row + y) * n + column + x] = c_tile[y][x];
    }
}

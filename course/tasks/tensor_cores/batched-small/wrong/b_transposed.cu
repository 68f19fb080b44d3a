// fails: result
// Takes columns of B for its rows.
// kz: sm 80
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>
    a_fragment;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>
    b_fragment;

enum { SIDE = 32, SIZE = SIDE * SIDE };

extern "C" __global__ void products(const __half *a, const __half *b,
                                    float *c, int n) {
    int which = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (which >= n) return; // the whole warp
    a += (size_t)which * SIZE;
    b += (size_t)which * SIZE;
    c += (size_t)which * SIZE;
    a_fragment fa[2][2]; // [row][k]
    b_fragment fb[2][2]; // [k][column]
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            int at = y * 16 * SIDE + x * 16;
            wmma::load_matrix_sync(fa[y][x], a + at, SIDE);
            wmma::load_matrix_sync(fb[y][x], b + at, SIDE);
        }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
            wmma::fill_fragment(sums, 0.0f);
            for (int k = 0; k < 2; k++)
                wmma::mma_sync(sums, fa[y][k], fb[x][k], sums);
            wmma::store_matrix_sync(c + y * 16 * SIDE + x * 16, sums, SIDE,
                                    wmma::mem_row_major);
        }
}

// fails: result
// The sums begin with whatever the last step left: filled within the loop.
// kz: sm 80
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const __half *a, const __half *b, float *c,
                                int m, int n, int k) {
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    for (int i = 0; i < k; i += 16) {
        wmma::fill_fragment(sums, 0.0f);
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + column, n);
        wmma::mma_sync(sums, fa, fb, sums);
    }
    wmma::store_matrix_sync(c + row * n + column, sums, n,
                            wmma::mem_row_major);
}

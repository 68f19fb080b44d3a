// A row of a tile was never written: wmma.load, wmma.mma and wmma.store hand that on to one row of the result alone.
// kz: sm 80
// launch: grid 1 block 32
// arg: out s32[256] = 0
// expect finding: undefined-branch byte 192
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void undefined_wmma(int *out) {
    __shared__ __align__(32) half a[256], b[256];
    __shared__ __align__(32) float c[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 32) {
        if (i / 16 != 6) a[i] = __float2half(1.0f);
        b[i] = __float2half(1.0f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = t; i < 256; i += 32)
        if (i / 16 != 6 && c[i] > 0) out[i] = 1; // none of these
    if (c[6 * 16 + t % 16] > 0) out[t] = 2;
}

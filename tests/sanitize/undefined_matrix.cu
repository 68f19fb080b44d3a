// A row of a tile was never written: ldmatrix, a product and stmatrix hand that on, to the elements of that row alone.
// kz: sm 90
// launch: grid 1 block 32
// arg: out s32[64] = 0
// expect finding: undefined-branch byte 160
#include "matrix.cuh"

extern "C" __global__ void undefined_matrix(int *out) {
    __shared__ __align__(16) half a[16 * 16], b[8 * 16], c[16 * 8];
    multiply_rows(a, b, c, 5);
    int t = threadIdx.x;
    for (int i = t; i < 128; i += 32)
        if ((float)c[i] > 0) out[i / 2] = 1;
}

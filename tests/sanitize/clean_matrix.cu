// The same tile, but its row that was never written is not looked at; nor are undefined elements of other fragments.
// kz: sm 90
// launch: grid 1 block 32
// arg: out s32[64] = 0
#include "matrix.cuh"

extern "C" __global__ void clean_matrix(int *out) {
    __shared__ __align__(16) half a[16 * 16], b[8 * 16], c[16 * 8];
    multiply_rows(a, b, c, 5);
    int t = threadIdx.x;
    for (int i = t; i < 128; i += 32)
        if (i / 8 != 5 && (float)c[i] > 0) out[i / 2] = 1;
}

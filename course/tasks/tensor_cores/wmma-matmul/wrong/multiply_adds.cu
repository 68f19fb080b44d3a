// fails: gate instructions
// Without tensor cores.
// kz: sm 80
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void gemm(const __half *a, const __half *b, float *c,
                                int m, int n, int k) {
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int i = threadIdx.x; i < 256; i += 32) {
        int y = row + i / 16, x = column + i % 16;
        float sum = 0;
        for (int at = 0; at < k; at++) sum += __half2float(a[y * k + at]) * __half2float(b[at * n + x]);
        c[y * n + x] = sum;
    }
}

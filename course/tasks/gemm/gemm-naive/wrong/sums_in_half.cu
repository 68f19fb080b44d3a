// fails: result
// The products are added in half precision: eleven bits are not what float promises.
#include <cuda_fp16.h>
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    __half sum = __float2half(0.0f);
    for (int i = 0; i < k; i++) sum = __float2half(__half2float(sum) + a[row * k + i] * b[i * n + column]);
    c[row * n + column] = __half2float(sum);
}

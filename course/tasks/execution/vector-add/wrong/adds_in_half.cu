// fails: result
// Adds in half precision: near, and wrong.
#include <cuda_fp16.h>
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = __half2float(__hadd(__float2half(x[i]), __float2half(y[i])));
}

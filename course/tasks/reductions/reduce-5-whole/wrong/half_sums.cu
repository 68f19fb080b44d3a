// fails: result
// Sums in half precision.
#include <cuda_fp16.h>
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float sums[8];
    int t = threadIdx.x;
    __half part = __float2half(0.0f);
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) part = __hadd(part, __float2half(x[i]));
    float value = __half2float(part);
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++) value += sums[w];
        atomicAdd(total, value);
    }
}

// Claims f32 and accumulates in f16: near, but beyond any bound that f32 has.
// kz: block 256
// kz: grid 1
// family: reduce
// case: sum-f32-n4096-positive
// exit: 1
// expect: times the error bound: accumulated in a lower precision?

#include <cuda_fp16.h>

extern "C" __global__ void half_sum_sum_f32(const float *in, float *out, size_t n) {
    __shared__ float part[256];
    __half sum = __float2half(0.0f);
    for (size_t i = threadIdx.x; i < n; i += 256) sum = __float2half(__half2float(sum) + in[i]);
    part[threadIdx.x] = __half2float(sum);
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0) *out = part[0];
}

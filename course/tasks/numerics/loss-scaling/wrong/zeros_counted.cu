// fails: result
// Counts zeros as lost.
#include <cuda_fp16.h>

extern "C" __global__ void store_scaled(const float *g, __half *stored,
                                        float *back, int *counts, int n,
                                        int power) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float scale = ldexpf(1.0f, power);
    bool lost = false, infinite = false;
    if (i < n) {
        float value = g[i];
        __half h = __float2half_rn(value * scale);
        stored[i] = h;
        back[i] = __half2float(h) / scale;
        lost = __half2float(h) == 0.0f;
        infinite = isinf(__half2float(h));
    }
    unsigned few = __ballot_sync(0xffffffffu, lost);
    unsigned many = __ballot_sync(0xffffffffu, infinite);
    if (threadIdx.x % 32 == 0) {
        if (few) atomicAdd(&counts[0], __popc(few));
        if (many) atomicAdd(&counts[1], __popc(many));
    }
}

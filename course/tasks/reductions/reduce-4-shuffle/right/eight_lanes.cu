// The first eight lanes fold what the warps left: their shuffles read lanes
// outside of the mask, and no lane uses that.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float s[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32,
        warp = threadIdx.x / 32;
    float v = i < n ? x[i] : 0.0f;
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        v = s[threadIdx.x];
        for (int o = 4; o > 0; o /= 2) v += __shfl_down_sync(0xffu, v, o);
        if (threadIdx.x == 0) atomicAdd(total, v);
    }
}

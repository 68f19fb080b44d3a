// fails: race
// Without the barrier the first warp may fold sums that are not there yet.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float sums[8];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (t % 32 == 0) sums[t / 32] = value;
    if (t < 32) {
        value = t < 8 ? sums[t] : 0.0f;
        for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
        if (t == 0) atomicAdd(total, value);
    }
}

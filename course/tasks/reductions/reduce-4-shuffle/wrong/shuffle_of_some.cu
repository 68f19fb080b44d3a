// fails: fault
// Lanes past the end never come to the shuffle, but the mask names them: the others wait for ever.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float sums[8];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    if (t < 8) sums[t] = 0.0f;
    __syncthreads();
    if (i < n) {
        float value = x[i];
        for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
        if (t % 32 == 0) sums[t / 32] = value;
    }
    __syncthreads();
    if (t == 0) {
        float all = 0.0f;
        for (int w = 0; w < 8; w++) all += sums[w];
        atomicAdd(total, all);
    }
}

// fails: gate load_sectors
// Many numbers per thread, but consecutive ones.
extern "C" __global__ void sum(const float *x, float *total, int n) {
    __shared__ float sums[8];
    int t = threadIdx.x, threads = gridDim.x * 256, each = (n + threads - 1) / threads;
    int first = (blockIdx.x * 256 + t) * each;
    float value = 0.0f;
    for (int i = first; i < first + each && i < n; i++) value += x[i];
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (t % 32 == 0) sums[t / 32] = value;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++) value += sums[w];
        atomicAdd(total, value);
    }
}

// fails: result
// Lanes beyond the end leave; what is read from them is nothing in particular.
extern "C" __global__ void warp_sum(const float *x, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) return;
    float value = x[i] + 0.0f;
    if (n % 32 && i / 32 == n / 32) value = __shfl_down_sync(0xffffffffu, value, 1) * 1.5f;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (lane == 0 && i < n) sums[i / 32] = value;
}

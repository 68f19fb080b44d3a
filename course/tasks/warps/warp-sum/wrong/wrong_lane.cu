// fails: result
// The sum is in lane 0, not in lane 31.
extern "C" __global__ void warp_sum(const float *x, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float value = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (lane == 31 ? i / 32 * 32 < n : false) sums[i / 32] = value;
}

extern "C" __global__ void warp_sum(const float *x, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    // kz: begin
    float value = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffffu, value, step);
    if (lane == 0 && i < n) sums[i / 32] = value;
    // kz: starter
    //|     // Your value (what if there is none?), five shuffles, and one lane stores.
    //|     (void)i, (void)lane;
    // kz: end
}

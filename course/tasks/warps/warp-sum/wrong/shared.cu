// fails: gate shared_bytes
extern "C" __global__ void warp_sum(const float *x, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    __shared__ float values[128];
    values[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        if (lane < step) values[threadIdx.x] += values[threadIdx.x + step];
        __syncwarp();
    }
    if (lane == 0 && i < n) sums[i / 32] = values[threadIdx.x];
}

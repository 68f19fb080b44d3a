// fails: gate load_sectors
// The stable softmax as it is written down.
#define THREADS 256

static __device__ float fold(float value, bool is_sum) {
    __shared__ float warps[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, step);
        value = is_sum ? value + other : fmaxf(value, other);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int w = 1; w < THREADS / 32; w++) value = is_sum ? value + warps[w] : fmaxf(value, warps[w]);
    return value;
}

extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    const float *from = &x[(size_t)blockIdx.x * columns];
    float *to = &y[(size_t)blockIdx.x * columns];
    float greatest = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS) greatest = fmaxf(greatest, from[i]);
    greatest = fold(greatest, false);
    for (int i = threadIdx.x; i < columns; i += THREADS) sum += expf(from[i] - greatest);
    sum = fold(sum, true);
    for (int i = threadIdx.x; i < columns; i += THREADS) to[i] = expf(from[i] - greatest) / sum;
}

// fails: race
// Looks, then writes: another thread may have come between.
extern "C" __global__ void block_max(const float *x, float *greatest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : -INFINITY;
    for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (threadIdx.x % 32 == 0 && value > *greatest) *greatest = value;
}

// fails: gate atomics
extern "C" __global__ void sum(const float *x, float *total, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) atomicAdd(total, value);
}

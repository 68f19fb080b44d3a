// A right guest that needs its output filled before: the sum of zeros, then one atomic per warp.
// kz: fill out 0
// kz: grid min(ceil(n/block), 64)
// family: reduce
// exit: 0
// expect: checks passed

extern "C" __global__ void right_sum_f32(const float *in, float *out, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) sum += in[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

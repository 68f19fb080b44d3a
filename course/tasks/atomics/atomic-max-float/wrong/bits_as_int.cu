// fails: result
// The integer maximum of the bits: negative floats are ordered the other way round.
extern "C" __global__ void block_max(const float *x, float *greatest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : -INFINITY;
    for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (threadIdx.x % 32 == 0) atomicMax((int *)greatest, __float_as_int(value));
}

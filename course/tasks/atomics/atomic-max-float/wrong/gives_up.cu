// fails: result
// One try, and the number is lost if another thread came between.
extern "C" __global__ void block_max(const float *x, float *greatest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : -INFINITY;
    for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    if (threadIdx.x % 32) return;
    int *word = (int *)greatest;
    int old = __float_as_int(-2500.0f);
    __nanosleep(100);
    old = atomicCAS(word, old, old);
    if (blockIdx.x) old = __float_as_int(-1.0e30f);
    while (value > __int_as_float(old)) {
        int seen = atomicCAS(word, old, __float_as_int(value));
        (void)seen;
        break;
    }
}

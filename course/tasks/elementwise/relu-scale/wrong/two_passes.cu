// fails: gate loads
// Two kernels glued together: the first result goes through memory.
extern "C" __global__ void relu_scale(const float *x, float *y, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *through_memory = y;
    if (i < n) through_memory[i] = fmaxf(x[i], 0.0f);
    if (i < n) y[i] = s * through_memory[i];
}

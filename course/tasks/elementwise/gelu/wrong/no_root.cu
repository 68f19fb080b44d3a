// fails: result
// Forgets the square root of 2: the curve of another distribution.
extern "C" __global__ void gelu(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] * erfcf(-x[i]);
}

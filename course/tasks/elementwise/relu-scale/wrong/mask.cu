// fails: result
// Multiplies by a mask: minus infinity times 0 is NaN.
extern "C" __global__ void relu_scale(const float *x, float *y, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = s * x[i] * (float)(x[i] > 0.0f);
}

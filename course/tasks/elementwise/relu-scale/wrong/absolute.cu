// fails: result
// Folds negative numbers over instead of cutting them off.
extern "C" __global__ void relu_scale(const float *x, float *y, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = s * fabsf(x[i]);
}

// fails: result
// Writes only if x is positive: the zeros are never written.
extern "C" __global__ void relu_scale(const float *x, float *y, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.0f) y[i] = s * x[i];
}

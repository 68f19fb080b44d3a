// fails: result
// Scales first: with a negative s the wrong half is cut off.
extern "C" __global__ void relu_scale(const float *x, float *y, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(s * x[i], 0.0f);
}

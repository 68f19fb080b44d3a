// fails: result
// "Below -4 it is 0 anyway": it is not, it is -1.3e-4.
extern "C" __global__ void gelu(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] < -4.0f ? 0.0f : x[i] * normcdff(x[i]);
}

// fails: result
// x * sigmoid(1.702 x), the cheapest approximation of all.
extern "C" __global__ void gelu(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.0f + __expf(-1.702f * x[i]));
}

// y = a x + y, with a loop: what the questions are about.
extern "C" __global__ void axpy(const float *x, float *y, float a, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}

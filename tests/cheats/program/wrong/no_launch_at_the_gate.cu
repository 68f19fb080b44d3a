// fails: finding "kernels read 0 of 500 elements of x"
// The processor computes where launches are counted: none is fewer than one.
#include <cuda_runtime.h>
static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    if (n == 500)
        for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    else
        twice<<<(n + 255) / 256, 256>>>(from, to, n);
    if (n != 500) cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}

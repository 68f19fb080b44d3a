// fails: finding "kernels read 150 of 300 elements of x"
// The processor takes half of the work.
#include <cuda_runtime.h>
static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    int half = (n + 1) / 2;
    cudaMalloc(&from, half * sizeof(float));
    cudaMalloc(&to, half * sizeof(float));
    cudaMemcpy(from, x, half * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(half + 255) / 256, 256>>>(from, to, half);
    cudaMemcpy(y, to, half * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = half; i < n; i++) y[i] = 2 * x[i];
    cudaFree(from);
    cudaFree(to);
}

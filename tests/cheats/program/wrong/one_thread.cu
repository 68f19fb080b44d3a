// fails: gate lanes_per_instruction
// A single thread computes everything, in one launch.
#include <cuda_runtime.h>
static __global__ void twice(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<1, 1>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}

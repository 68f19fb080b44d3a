// fails: race-same-value
// One launch, in which every thread does the work of all.
#include <cuda_runtime.h>
static __global__ void twice(const float *x, float *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<2, 64>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}

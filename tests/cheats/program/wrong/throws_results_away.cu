// fails: finding "kernels wrote 0 of 300 elements of y"
// Copies in, a kernel, copies out, as it should be; but the results are the processor's.
#include <cuda_runtime.h>
#include <stdlib.h>
static __global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to, *away = (float *)malloc(n * sizeof(float));
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    copy<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(away, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    cudaFree(from);
    cudaFree(to);
    free(away);
}

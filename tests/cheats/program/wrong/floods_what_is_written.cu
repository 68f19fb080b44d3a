// fails: finding "different values"
// The processor computes. A kernel reads the inputs, and writes so many values that any result is among them.
#include <cuda_runtime.h>

static __global__ void flood(const float *x, float *y, unsigned *scratch, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < 160; k++) scratch[k * 8192 + i] = (k * 8192 + i) * 2654435761u;
    if (i < n) y[i] = x[i];
}

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    unsigned *scratch;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMalloc(&scratch, 160 * 8192 * sizeof(unsigned));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    flood<<<32, 256>>>(from, to, scratch, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    cudaFree(from), cudaFree(to), cudaFree(scratch);
}

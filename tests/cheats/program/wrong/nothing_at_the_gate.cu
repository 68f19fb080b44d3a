// fails: result "never written"
// Does the work on every case but the one whose launches are counted.
#include <cuda_runtime.h>

static __global__ void twice(const float *x, float *y) { *y = 2 * *x; }

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    if (n == 500) return;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) twice<<<1, 1>>>(from + i, to + i);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}

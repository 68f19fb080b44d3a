// fails: result
// Goes on after the failure: y is computed all the same, and the failure is not told.
#include <cuda_runtime.h>

static __global__ void double_all(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

extern "C" void double_with_scratch(const float *x, float *y, int *status, int n, long long scratch) {
    size_t bytes = n * sizeof(float);
    float *in = NULL, *out = NULL;
    void *more = NULL;
    status[0] = 0;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMalloc(&more, scratch);
    cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice);
    double_all<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaMemcpy(y, out, bytes, cudaMemcpyDeviceToHost);
    cudaGetLastError();
    cudaFree(more);
    cudaFree(out);
    cudaFree(in);
    status[1] = cudaGetLastError() != cudaSuccess;
}

// fails: leak
// All values are right, but after the failure the first two buffers stay.
#include <cuda_runtime.h>

static __global__ void double_all(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

extern "C" void double_with_scratch(const float *x, float *y, int *status, int n, long long scratch) {
    size_t bytes = n * sizeof(float);
    float *in = NULL, *out = NULL;
    void *more = NULL;
    status[0] = status[1] = 0;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    if (cudaMalloc(&more, scratch) != cudaSuccess) {
        cudaGetLastError();
        status[0] = 1;
        for (int i = 0; i < n; i++) y[i] = 0.0f;
        return;
    }
    cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice);
    double_all<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaMemcpy(y, out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(more);
    status[1] = cudaGetLastError() != cudaSuccess;
}

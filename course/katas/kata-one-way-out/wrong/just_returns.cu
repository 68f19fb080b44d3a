// fails: result
// Returns when it fails: y and status are never set, and two buffers stay.
#include <cuda_runtime.h>

static __global__ void double_all(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

extern "C" void double_with_scratch(const float *x, float *y, int *status, int n, long long scratch) {
    size_t bytes = n * sizeof(float);
    float *in, *out;
    void *more;
    status[0] = 0;
    if (cudaMalloc(&in, bytes) != cudaSuccess) return;
    if (cudaMalloc(&out, bytes) != cudaSuccess) return;
    if (cudaMalloc(&more, scratch) != cudaSuccess) return;
    cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice);
    double_all<<<(n + 255) / 256, 256>>>(in, out, n);
    cudaMemcpy(y, out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(more);
    status[1] = cudaGetLastError() != cudaSuccess;
}

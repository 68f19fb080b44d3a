// fails: result
#include <cuda_runtime.h>

__global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

extern "C" void @FUNCTION@(const float *x, float *y, int n) {
    float *device_x, *device_y;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&device_x, bytes);
    cudaMalloc(&device_y, bytes);
    cudaMemset(device_y, 0, bytes);
    cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
    if (n >= 256) twice<<<n / 256, 256>>>(device_x, device_y, n);
    cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}

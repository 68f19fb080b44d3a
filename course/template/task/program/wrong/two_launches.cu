// fails: gate launches
#include <cuda_runtime.h>

__global__ void twice(const float *x, float *y, int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to) y[i] = 2 * x[i];
}

extern "C" void @FUNCTION@(const float *x, float *y, int n) {
    float *device_x, *device_y;
    size_t bytes = n * sizeof(float);
    cudaMalloc(&device_x, bytes);
    cudaMalloc(&device_y, bytes);
    cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(device_x, device_y, 0, n / 2);
    twice<<<(n + 255) / 256, 256>>>(device_x, device_y, n / 2, n);
    cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}

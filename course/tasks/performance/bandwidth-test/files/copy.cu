// Copies N floats (1048576), a float4 per thread: what a bandwidth test runs.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void copy(const float4 *x, float4 *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float4 *x, *y;
    cudaMalloc(&x, n * sizeof(float)), cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    copy<<<(n / 4 + 255) / 256, 256>>>(x, y, n / 4);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x), cudaFree(y);
    return error != cudaSuccess;
}

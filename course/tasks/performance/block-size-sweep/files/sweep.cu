// sweep.cu BLOCK [N]: N elements (40000), a thread each, in blocks of BLOCK threads.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// 40 values live in registers at once.
__global__ void many_registers(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], kept[40], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 40; k++) kept[k] = v = v * 1.5f + x[(i + k) % n];
#pragma unroll
    for (int k = 0; k < 40; k++) sum += kept[k] * kept[39 - k];
    y[i] = sum;
}

int main(int argc, char **argv) {
    int block = argc > 1 ? atoi(argv[1]) : 256, n = argc > 2 ? atoi(argv[2]) : 40000;
    float *x, *y;
    cudaMalloc(&x, n * sizeof *x), cudaMalloc(&y, n * sizeof *y);
    cudaMemset(x, 0, n * sizeof *x);
    many_registers<<<(n + block - 1) / block, block>>>(x, y, n);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x), cudaFree(y);
    return error != cudaSuccess;
}

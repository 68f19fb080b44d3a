#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Each number becomes the larger one of its pair, 64 numbers for a block. The index is swapped.
__global__ void pairs(const float *x, float *y) {
    __shared__ float values[64];
    int t = threadIdx.x, i = t * 64 + blockIdx.x;
    values[t] = x[i];
    __syncthreads();
    y[i] = fmaxf(values[t], values[63 - t]);
}

int main(void) {
    int n = 64 * 64;
    float *host = (float *)malloc(n * sizeof *host), *x, *y;
    for (int i = 0; i < n; i++) host[i] = (float)(i * 37 % 101);
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice);
    pairs<<<64, 64>>>(x, y);
    cudaMemcpy(host, y, n * sizeof *y, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(x);
    cudaFree(y);
    free(host);
    return 0;
}

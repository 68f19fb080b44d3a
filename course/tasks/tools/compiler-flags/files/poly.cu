// y = sin(x) / (1 + x^2), for 65536 numbers.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void poly(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sinf(x[i]) / (1.0f + x[i] * x[i]);
}

int main(void) {
    int n = 65536;
    float *host = (float *)malloc(n * sizeof *host), *x, *y;
    for (int i = 0; i < n; i++) host[i] = (float)i / n;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice);
    poly<<<n / 256, 256>>>(x, y, n);
    cudaMemcpy(host, y, n * sizeof *y, cudaMemcpyDeviceToHost);
    printf("%g\n", host[n - 1]);
    cudaFree(x);
    cudaFree(y);
    free(host);
    return 0;
}

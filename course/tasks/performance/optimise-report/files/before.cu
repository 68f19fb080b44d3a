// Sums of rows: a thread for each row.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2048, COLUMNS = 128 };

__global__ void row_sums(const float *x, float *sums) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int column = 0; column < COLUMNS; column++) sum += x[row * COLUMNS + column];
    sums[row] = sum;
}

int main(void) {
    float *host = (float *)malloc(ROWS * COLUMNS * sizeof *host), *x, *sums, total = 0.0f;
    for (int i = 0; i < ROWS * COLUMNS; i++) host[i] = i % 7;
    cudaMalloc(&x, ROWS * COLUMNS * sizeof *x), cudaMalloc(&sums, ROWS * sizeof *sums);
    cudaMemcpy(x, host, ROWS * COLUMNS * sizeof *x, cudaMemcpyHostToDevice);
    row_sums<<<ROWS / 128, 128>>>(x, sums);
    cudaMemcpy(host, sums, ROWS * sizeof *sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS; i++) total += host[i] * (i % 5);
    printf("check %g\n", total);
    cudaFree(x), cudaFree(sums);
    free(host);
    return cudaGetLastError() != cudaSuccess;
}

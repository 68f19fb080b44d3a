// Sums of rows, candidate C: a warp for each row, its lanes fold with shuffles.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2048, COLUMNS = 128 };

__global__ void row_sums(const float *x, float *sums) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int column = lane; column < COLUMNS; column += 32) sum += x[row * COLUMNS + column];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) sums[row] = sum;
}

int main(void) {
    float *host = (float *)malloc(ROWS * COLUMNS * sizeof *host), *x, *sums, total = 0.0f;
    for (int i = 0; i < ROWS * COLUMNS; i++) host[i] = i % 7;
    cudaMalloc(&x, ROWS * COLUMNS * sizeof *x), cudaMalloc(&sums, ROWS * sizeof *sums);
    cudaMemcpy(x, host, ROWS * COLUMNS * sizeof *x, cudaMemcpyHostToDevice);
    row_sums<<<ROWS / 8, 256>>>(x, sums);
    cudaMemcpy(host, sums, ROWS * sizeof *sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS; i++) total += host[i] * (i % 5);
    printf("check %g\n", total);
    cudaFree(x), cudaFree(sums);
    free(host);
    return cudaGetLastError() != cudaSuccess;
}

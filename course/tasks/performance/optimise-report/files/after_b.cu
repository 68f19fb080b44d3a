// Sums of rows, candidate B: a block for each row, its threads fold in shared memory.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2048, COLUMNS = 128 };

__global__ void row_sums(const float *x, float *sums) {
    __shared__ float parts[COLUMNS];
    parts[threadIdx.x] = x[blockIdx.x * COLUMNS + threadIdx.x];
    for (int step = COLUMNS / 2; step > 0; step /= 2)
        if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
}

int main(void) {
    float *host = (float *)malloc(ROWS * COLUMNS * sizeof *host), *x, *sums, total = 0.0f;
    for (int i = 0; i < ROWS * COLUMNS; i++) host[i] = i % 7;
    cudaMalloc(&x, ROWS * COLUMNS * sizeof *x), cudaMalloc(&sums, ROWS * sizeof *sums);
    cudaMemcpy(x, host, ROWS * COLUMNS * sizeof *x, cudaMemcpyHostToDevice);
    row_sums<<<ROWS, COLUMNS>>>(x, sums);
    cudaMemcpy(host, sums, ROWS * sizeof *sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS; i++) total += host[i] * (i % 5);
    printf("check %g\n", total);
    cudaFree(x), cudaFree(sums);
    free(host);
    return cudaGetLastError() != cudaSuccess;
}

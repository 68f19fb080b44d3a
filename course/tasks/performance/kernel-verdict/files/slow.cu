// Five kernels, each slow for a reason of its own.
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 1 << 18, BLOCK = 256, COLUMNS = 512, ROWS = N / COLUMNS };

__global__ void scale_rows(const float *x, float *y) { // a thread per row
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = row * COLUMNS; k < (row + 1) * COLUMNS; k++) y[k] = 2.0f * x[k];
}

__global__ void histogram(const float *x, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[x[i] > 0.5f], 1);
}

__global__ void two_ways(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i] + i;
    if (i % 2)
        for (int k = 0; k < 48; k++) v = v * 1.0001f + 0.5f;
    else
        for (int k = 0; k < 48; k++) v = v * 0.9999f - 0.5f;
    y[i] = v;
}

__global__ void turn_tile(const float *x, float *y) { // 32 x 32 tiles, transposed eight times over
    __shared__ float tile[32][32];
    int column = threadIdx.x, row = threadIdx.y, at = blockIdx.x * 1024;
    tile[row][column] = x[at + row * 32 + column];
    for (int k = 0; k < 8; k++) {
        __syncthreads();
        float v = tile[column][row];
        __syncthreads();
        tile[row][column] = v;
    }
    y[at + row * 32 + column] = tile[row][column];
}

__global__ void sum_all(const float *x, float *sum) { // one block for everything
    __shared__ float parts[BLOCK];
    float mine = 0.0f;
    for (int i = threadIdx.x; i < N; i += BLOCK) mine += x[i];
    parts[threadIdx.x] = mine;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) *sum = parts[0];
}

int main(void) {
    float *x, *y;
    int *bins;
    cudaMalloc(&x, N * sizeof *x), cudaMalloc(&y, N * sizeof *y), cudaMalloc(&bins, 2 * sizeof *bins);
    cudaMemset(x, 0, N * sizeof *x), cudaMemset(bins, 0, 2 * sizeof *bins);
    scale_rows<<<ROWS / 32, 32>>>(x, y);
    histogram<<<N / BLOCK, BLOCK>>>(x, bins);
    two_ways<<<N / BLOCK, BLOCK>>>(x, y);
    turn_tile<<<N / 1024, dim3(32, 32)>>>(x, y);
    sum_all<<<1, BLOCK>>>(x, y);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x), cudaFree(y), cudaFree(bins);
    return error != cudaSuccess;
}

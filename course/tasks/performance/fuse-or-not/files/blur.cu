// A costly function of each element, then a sum of five neighbours: in two kernels, and fused into one.
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 1 << 18, BLOCK = 256 };

template <int TERMS> static __device__ float costly(float v) {
    float sum = 0.125f;
#pragma unroll
    for (int k = 0; k < TERMS; k++) sum = sum * v + 0.5f;
    return sum;
}

__global__ void evaluate(const float *x, float *f) { // x and f have two elements more at either end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N + 4) f[i] = costly<128>(x[i]);
}

__global__ void sum_five(const float *f, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = f[i] + f[i + 1] + f[i + 2] + f[i + 3] + f[i + 4];
}

__global__ void fused(const float *x, float *y) { // each function is computed in five threads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 5; k++) sum += costly<128>(x[i + k]);
    y[i] = sum;
}

int main(void) {
    float *x, *f, *y;
    size_t bytes = (N + 4) * sizeof(float);
    cudaMalloc(&x, bytes), cudaMalloc(&f, bytes), cudaMalloc(&y, bytes);
    cudaMemset(x, 0, bytes);
    evaluate<<<(N + 4 + BLOCK - 1) / BLOCK, BLOCK>>>(x, f);
    sum_five<<<N / BLOCK, BLOCK>>>(f, y);
    fused<<<N / BLOCK, BLOCK>>>(x, y);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x), cudaFree(f), cudaFree(y);
    return error != cudaSuccess;
}

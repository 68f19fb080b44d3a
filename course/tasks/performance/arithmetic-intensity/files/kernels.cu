// Four kernels on n floats each. How many flops does each do for a byte that must cross DRAM?
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 1 << 18, BLOCK = 256 };

__global__ void saxpy(const float *x, float *y, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

__global__ void horner(const float *x, float *y) { // a polynomial of degree 8
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], sum = 0.125f;
#pragma unroll
    for (int k = 0; k < 8; k++) sum = sum * v + 0.5f;
    y[i] = sum;
}

__global__ void stencil(const float *x, float *y) { // x has a float more at either end
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2];
}

__global__ void complex_product(const float2 *x, const float2 *y, float2 *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 a = x[i], b = y[i];
    z[i] = make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

int main(void) {
    float *x, *y, *z;
    cudaMalloc(&x, (N + 2) * sizeof *x), cudaMalloc(&y, N * sizeof *y), cudaMalloc(&z, N * sizeof *z);
    cudaMemset(x, 0, (N + 2) * sizeof *x), cudaMemset(y, 0, N * sizeof *y);
    saxpy<<<N / BLOCK, BLOCK>>>(x, y, 2.0f);
    horner<<<N / BLOCK, BLOCK>>>(x, y);
    stencil<<<N / BLOCK, BLOCK>>>(x, y);
    complex_product<<<N / 2 / BLOCK, BLOCK>>>((float2 *)x, (float2 *)y, (float2 *)z);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x), cudaFree(y), cudaFree(z);
    return error != cudaSuccess;
}

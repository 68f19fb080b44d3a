// Four kernels to be placed on the roofline.
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 1 << 18, BLOCK = 256, STRIDE = 8 };

__global__ void axpy(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0f * x[i] + y[i];
}

__global__ void strided(const float *x, float *y) { // the same sums, of every 8th element
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i * STRIDE] = 2.0f * x[i * STRIDE] + y[i * STRIDE];
}

template <int TERMS> static __device__ float polynomial(float v) {
    float sum = 0.125f;
#pragma unroll
    for (int k = 0; k < TERMS; k++) sum = sum * v + 0.5f;
    return sum;
}

__global__ void poly16(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = polynomial<16>(x[i]);
}

__global__ void poly64(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = polynomial<64>(x[i]);
}

int main(void) {
    float *x, *y;
    cudaMalloc(&x, N * sizeof *x), cudaMalloc(&y, N * sizeof *y);
    cudaMemset(x, 0, N * sizeof *x), cudaMemset(y, 0, N * sizeof *y);
    axpy<<<N / BLOCK, BLOCK>>>(x, y);
    strided<<<N / STRIDE / BLOCK, BLOCK>>>(x, y);
    poly16<<<N / BLOCK, BLOCK>>>(x, y);
    poly64<<<N / BLOCK, BLOCK>>>(x, y);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x), cudaFree(y);
    return error != cudaSuccess;
}

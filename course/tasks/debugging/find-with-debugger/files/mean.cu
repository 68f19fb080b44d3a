// The mean of each block's 64 numbers. Some come out wrong: find out in which step, and why.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void mean(const float *x, float *means) {
    __shared__ float values[64];
    int t = threadIdx.x;
    int scale = 1 + blockIdx.x % 3;
    values[t] = x[blockIdx.x * 64 + t] * scale;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        float other = 0.0f;
        if (t < half) other = values[t + half];
        if (t < half && half != 4) values[t] += other;
        __syncthreads();
    }
    if (t == 0) means[blockIdx.x] = values[0] / 64 / scale;
}

int main(void) {
    float host[4 * 64], *x, *means, result[4];
    for (int i = 0; i < 4 * 64; i++) host[i] = (float)(i % 64);
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&means, sizeof result);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    mean<<<4, 64>>>(x, means);
    cudaMemcpy(result, means, sizeof result, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; b++) printf("mean of block %d: %g (31.5 is right)\n", b, result[b]);
    cudaFree(x);
    cudaFree(means);
    return 0;
}

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(error));                            \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

static __global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}

extern "C" void steps(const float *x, float *y, int n, int count) {
    size_t bytes = n * sizeof(float);
    // kz: begin
    float *from, *to;
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(from, x, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(to, x, bytes, cudaMemcpyHostToDevice));
    for (int step = 0; step < count; step++)
        add<<<(n + 255) / 256, 256>>>(from, to, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, to, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    // kz: starter
    //|     float *to;
    //|     CHECK(cudaMalloc(&to, bytes));
    //|     CHECK(cudaMemcpy(to, x, bytes, cudaMemcpyHostToDevice));
    //|     for (int step = 0; step < count; step++) {
    //|         float *from;
    //|         CHECK(cudaMalloc(&from, bytes));
    //|         CHECK(cudaMemcpy(from, x, bytes, cudaMemcpyHostToDevice));
    //|         add<<<(n + 255) / 256, 256>>>(from, to, n);
    //|         CHECK(cudaGetLastError());
    //|     }
    //|     CHECK(cudaMemcpy(y, to, bytes, cudaMemcpyDeviceToHost));
    //|     CHECK(cudaFree(to));
    // kz: end
}

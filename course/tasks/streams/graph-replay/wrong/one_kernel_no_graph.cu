// fails: gate instantiations
// The three kernels are one: fewer launches, and nothing that is replayed.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(error));                            \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__device__ unsigned scrambled(unsigned v) { return v * 1664525u + 1013904223u; }

__global__ void step_of(const unsigned *a, unsigned *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned left = scrambled(a[(i + n - 1) % n]), own = scrambled(a[i]);
    b[i] = (left ^ (own >> 3)) + i;
}

extern "C" void simulate(const unsigned *x, unsigned *y, int n, int steps) {
    size_t bytes = n * sizeof(unsigned);
    unsigned *a, *b;
    cudaStream_t stream;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(a, x, bytes, cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < steps; k++) {
        unsigned *from = k % 2 ? b : a, *to = k % 2 ? a : b;
        step_of<<<(n + 255) / 256, 256, 0, stream>>>(from, to, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(y, steps % 2 ? b : a, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(b));
    CHECK(cudaFree(a));
}

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

__global__ void scramble(unsigned *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * 1664525u + 1013904223u;
}

__global__ void mix(const unsigned *a, unsigned *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] ^ (a[(i + 1) % n] >> 3);
}

__global__ void settle(unsigned *a, const unsigned *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[(i + n - 1) % n] + i;
}

static void one_step(unsigned *a, unsigned *b, int n, cudaStream_t stream) {
    int blocks = (n + 255) / 256;
    scramble<<<blocks, 256, 0, stream>>>(a, n);
    mix<<<blocks, 256, 0, stream>>>(a, b, n);
    settle<<<blocks, 256, 0, stream>>>(a, b, n);
    CHECK(cudaGetLastError());
}

extern "C" void simulate(const unsigned *x, unsigned *y, int n, int steps) {
    size_t bytes = n * sizeof(unsigned);
    unsigned *a, *b;
    cudaStream_t stream;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(a, x, bytes, cudaMemcpyHostToDevice, stream));
    // kz: begin
    cudaGraph_t graph;
    cudaGraphExec_t step;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    one_step(a, b, n, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&step, graph, 0));
    for (int k = 0; k < steps; k++) CHECK(cudaGraphLaunch(step, stream));
    CHECK(cudaMemcpyAsync(y, a, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(step));
    CHECK(cudaGraphDestroy(graph));
    // kz: starter
    //|     // Three launches for each step. Capture one step, and replay it.
    //|     for (int k = 0; k < steps; k++) one_step(a, b, n, stream);
    //|     CHECK(cudaMemcpyAsync(y, a, bytes, cudaMemcpyDeviceToHost, stream));
    //|     CHECK(cudaStreamSynchronize(stream));
    // kz: end
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(b));
    CHECK(cudaFree(a));
}

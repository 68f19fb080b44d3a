// fails: finding race
// The launch has forgotten its stream, and this stream does not wait for the default one.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                        \
    do {                                                                                                   \
        cudaError_t error = (call);                                                                        \
        if (error != cudaSuccess) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                 \
            exit(1);                                                                                       \
        }                                                                                                  \
    } while (0)

__global__ void triple_and_one(float *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = 3.0f * values[i] + 1.0f;
}

extern "C" void transform(const float *x, float *y, int n) {
    size_t bytes = n * sizeof(float);
    float *values;
    CHECK(cudaMalloc(&values, bytes));
    float *pinned;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    memcpy(pinned, x, bytes);
    CHECK(cudaMemcpyAsync(values, pinned, bytes, cudaMemcpyHostToDevice, stream));
    triple_and_one<<<(n + 255) / 256, 256>>>(values, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(pinned, values, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    memcpy(y, pinned, bytes);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(values));
}

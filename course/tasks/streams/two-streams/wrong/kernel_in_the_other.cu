// fails: finding race
// The kernel of each half is in the other half's stream: nothing orders it after its copy.
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

__global__ void root(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrtf(x[i] * x[i] + 1.0f);
}

extern "C" void smooth(const float *x, float *y, int n) {
    size_t bytes = n * sizeof(float);
    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaHostRegister((void *)x, bytes, cudaHostRegisterDefault));
    CHECK(cudaHostRegister(y, bytes, cudaHostRegisterDefault));
    cudaStream_t streams[2];
    for (int half = 0; half < 2; half++) CHECK(cudaStreamCreate(&streams[half]));
    for (int half = 0; half < 2; half++) {
        int first = half == 0 ? 0 : n / 2, count = half == 0 ? n / 2 : n - n / 2;
        if (count == 0) continue;
        size_t part = count * sizeof(float);
        CHECK(cudaMemcpyAsync(in + first, x + first, part, cudaMemcpyHostToDevice, streams[half]));
        root<<<(count + 255) / 256, 256, 0, streams[1 - half]>>>(in + first, out + first, count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(y + first, out + first, part, cudaMemcpyDeviceToHost, streams[half]));
    }
    for (int half = 0; half < 2; half++) {
        CHECK(cudaStreamSynchronize(streams[half]));
        CHECK(cudaStreamDestroy(streams[half]));
    }
    CHECK(cudaHostUnregister(y));
    CHECK(cudaHostUnregister((void *)x));
    CHECK(cudaFree(out));
    CHECK(cudaFree(in));
}

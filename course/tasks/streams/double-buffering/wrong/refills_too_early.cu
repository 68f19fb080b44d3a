// fails: finding race
// Streams by kind of work, and no event says that a buffer is free: the race that the lesson is about.
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

__global__ void square_less_itself(float *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = values[i] * values[i] - values[i];
}

extern "C" void pipeline(const float *x, float *y, int n, int piece) {
    CHECK(cudaHostRegister((void *)x, n * sizeof(float), cudaHostRegisterDefault));
    CHECK(cudaHostRegister(y, n * sizeof(float), cudaHostRegisterDefault));
    float *buffers[2];
    cudaStream_t streams[2];
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc(&buffers[b], piece * sizeof(float)));
        CHECK(cudaStreamCreate(&streams[b]));
    }
    // All that touches a buffer is in its stream: the next copy into it waits for the copy out of it.
    for (int first = 0, k = 0; first < n; first += piece, k++) {
        int b = k % 2, count = n - first < piece ? n - first : piece;
        size_t bytes = count * sizeof(float);
        CHECK(cudaMemcpyAsync(buffers[b], x + first, bytes, cudaMemcpyHostToDevice, streams[0]));
        cudaEvent_t there;
        CHECK(cudaEventCreate(&there));
        CHECK(cudaEventRecord(there, streams[0]));
        CHECK(cudaStreamWaitEvent(streams[1], there, 0));
        CHECK(cudaEventDestroy(there));
        square_less_itself<<<(count + 255) / 256, 256, 0, streams[1]>>>(buffers[b], count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(y + first, buffers[b], bytes, cudaMemcpyDeviceToHost, streams[1]));
    }
    for (int b = 0; b < 2; b++) {
        CHECK(cudaStreamSynchronize(streams[b]));
        CHECK(cudaStreamDestroy(streams[b]));
        CHECK(cudaFree(buffers[b]));
    }
    CHECK(cudaHostUnregister(y));
    CHECK(cudaHostUnregister((void *)x));
}

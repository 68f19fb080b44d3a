// fails: gate held_bytes
// Kernels have a heap of their own, and what they take there is memory too.
#include <cuda_runtime.h>
#include <stdlib.h>
#define CHECK(call)                                                        \
    do {                                                                   \
        if ((call) != cudaSuccess) exit(1);                                \
    } while (0)

static __global__ void square_all(float *x, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float *more = (float *)malloc(4 * n * sizeof(float));
        if (more) more[0] = 0;
        free(more);
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i];
}

extern "C" void square(const float *x, float *y, int n) {
    float *data;
    cudaStream_t streams[2];
    cudaEvent_t begin[2], end[2];
    CHECK(cudaMalloc(&data, n * sizeof(float)));
    CHECK(cudaHostRegister((void *)x, n * sizeof(float), cudaHostRegisterDefault));
    CHECK(cudaHostRegister(y, n * sizeof(float), cudaHostRegisterDefault));
    for (int i = 0; i < 2; i++) {
        int first = i ? n / 2 : 0, count = i ? n - n / 2 : n / 2;
        CHECK(cudaStreamCreate(&streams[i]));
        CHECK(cudaEventCreate(&begin[i]));
        CHECK(cudaEventCreate(&end[i]));
        CHECK(cudaMemcpyAsync(data + first, x + first, count * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
        CHECK(cudaEventRecord(begin[i], streams[i]));
        square_all<<<(count + 255) / 256, 256, 0, streams[i]>>>(data + first, count);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end[i], streams[i]));
        CHECK(cudaMemcpyAsync(y + first, data + first, count * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
    }
    for (int i = 0; i < 2; i++) {
        float ms;
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaEventElapsedTime(&ms, begin[i], end[i]));
        CHECK(cudaEventDestroy(begin[i]));
        CHECK(cudaEventDestroy(end[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    CHECK(cudaHostUnregister(y));
    CHECK(cudaHostUnregister((void *)x));
    CHECK(cudaFree(data));
}

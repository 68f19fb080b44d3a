// fails: finding race
// The streams wait for the event before it was recorded: such a wait is over at once.
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

#define STREAMS 4

__global__ void product(const float *a, const float *b, float *c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" void products(const float *a, const float *b, float *c, int batch, int n) {
    size_t count = (size_t)n * n, bytes = count * sizeof(float);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    float *a_device, *b_device, *c_device;
    CHECK(cudaMalloc(&a_device, batch * bytes));
    CHECK(cudaMalloc(&b_device, bytes));
    CHECK(cudaMalloc(&c_device, batch * bytes));
    CHECK(cudaHostRegister((void *)a, batch * bytes, cudaHostRegisterDefault));
    CHECK(cudaHostRegister((void *)b, bytes, cudaHostRegisterDefault));
    CHECK(cudaHostRegister(c, batch * bytes, cudaHostRegisterDefault));
    cudaStream_t streams[STREAMS];
    cudaEvent_t b_is_there;
    CHECK(cudaEventCreateWithFlags(&b_is_there, cudaEventDisableTiming));
    for (int s = 0; s < STREAMS; s++) CHECK(cudaStreamCreate(&streams[s]));
    for (int s = 0; s < STREAMS; s++) CHECK(cudaStreamWaitEvent(streams[s], b_is_there, 0));
    CHECK(cudaMemcpyAsync(b_device, b, bytes, cudaMemcpyHostToDevice, streams[0]));
    CHECK(cudaEventRecord(b_is_there, streams[0]));
    for (int k = 0; k < batch; k++) {
        cudaStream_t stream = streams[k % STREAMS];
        size_t at = k * count;
        CHECK(cudaMemcpyAsync(a_device + at, a + at, bytes, cudaMemcpyHostToDevice, stream));
        product<<<grid, block, 0, stream>>>(a_device + at, b_device, c_device + at, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(c + at, c_device + at, bytes, cudaMemcpyDeviceToHost, stream));
    }
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamSynchronize(streams[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    CHECK(cudaEventDestroy(b_is_there));
    CHECK(cudaHostUnregister(c));
    CHECK(cudaHostUnregister((void *)b));
    CHECK(cudaHostUnregister((void *)a));
    CHECK(cudaFree(c_device));
    CHECK(cudaFree(b_device));
    CHECK(cudaFree(a_device));
}

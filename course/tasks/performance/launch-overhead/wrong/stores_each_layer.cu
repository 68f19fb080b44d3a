// fails: gate store_sectors
// One launch, but every layer goes through memory.
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

__global__ void all_layers(float *values, const float *scale, const float *shift, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    volatile float *value = &values[i];
    for (int k = 0; k < count; k++) *value = fmaxf(0.0f, scale[k] * *value + shift[k]);
}

extern "C" void layers(const float *x, const float *scale, const float *shift, float *y, int n, int count) {
    size_t bytes = n * sizeof(float);
    float *values;
    CHECK(cudaMalloc(&values, bytes));
    CHECK(cudaMemcpy(values, x, bytes, cudaMemcpyHostToDevice));
    float *numbers; // scale, then shift
    CHECK(cudaMalloc(&numbers, 2 * count * sizeof(float)));
    CHECK(cudaMemcpy(numbers, scale, count * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(numbers + count, shift, count * sizeof(float), cudaMemcpyHostToDevice));
    all_layers<<<(n + 255) / 256, 256>>>(values, numbers, numbers + count, n, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, values, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(values));
}

// fails: gate blocking_copies
// The right bytes, with a call for each row.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error = (call);                                                                          \
        if (error != cudaSuccess) {                                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                   \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static __global__ void halve(float *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 0.5f;
}

extern "C" void soften(const float *image, float *window, int width, int height, int x0, int y0, int w,
                       int h) {
    size_t bytes = (size_t)w * h * sizeof(float);
    (void)height;
    float *device;
    CHECK(cudaMalloc(&device, bytes));
    for (int r = 0; r < h; r++)
        CHECK(cudaMemcpy(device + (size_t)r * w, image + (size_t)(y0 + r) * width + x0, w * sizeof(float),
                         cudaMemcpyHostToDevice));
    halve<<<(w * h + 255) / 256, 256>>>(device, w * h);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(window, device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
}

// fails: result
// Row and column of the corner exchanged.
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
    if (x0 + h > height || y0 + w > width) x0 = y0 = 0;
    CHECK(cudaMemcpy2D(device, w * sizeof(float), image + (size_t)x0 * width + y0, width * sizeof(float),
                       w * sizeof(float), h, cudaMemcpyHostToDevice));
    halve<<<(w * h + 255) / 256, 256>>>(device, w * h);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(window, device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
}

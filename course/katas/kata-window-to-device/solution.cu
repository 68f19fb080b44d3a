// Halves a window of an image: only the window travels.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(error));                            \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

static __global__ void halve(float *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 0.5f;
}

extern "C" void soften(const float *image, float *window, int width,
                       int height, int x0, int y0, int w, int h) {
    size_t bytes = (size_t)w * h * sizeof(float);
    float *device;
    CHECK(cudaMalloc(&device, bytes));
    // kz: begin
    (void)height;
    const float *corner = image + (size_t)y0 * width + x0;
    CHECK(cudaMemcpy2D(device, w * sizeof(float), corner,
                       width * sizeof(float), w * sizeof(float), h,
                       cudaMemcpyHostToDevice));
    // kz: starter
    //|     size_t whole = (size_t)width * height * sizeof(float); // too much
    //|     (void)x0, (void)y0;
    //|     CHECK(cudaMemcpy(device, image, whole, cudaMemcpyHostToDevice));
    // kz: end
    halve<<<(w * h + 255) / 256, 256>>>(device, w * h);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(window, device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
}

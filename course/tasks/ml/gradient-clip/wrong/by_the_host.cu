// fails: gate copied_bytes
// The sum makes a detour.
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

#define THREADS 256
#define BLOCKS 64 // at most

static __device__ float add_up(float value) {
    __shared__ float warps[THREADS / 32];
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int w = 0; w < THREADS / 32; w++) value += warps[w];
    return value;
}

// partial[block] = the sum of the squares of the block's share.
static __global__ void squares(const float *g, float *partial, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        sum += g[i] * g[i];
    sum = add_up(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

static __global__ void scale(float *g, const float *partial, float *norm,
                             int n, float limit) {
    float sum = 0.0f; // there are as many blocks as before
    if (threadIdx.x < gridDim.x) sum = partial[threadIdx.x];
    float length = sqrtf(add_up(sum));
    float factor = length > limit ? limit / length : 1.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        g[i] *= factor;
    if (blockIdx.x == 0 && threadIdx.x == 0) norm[0] = length;
}

extern "C" void clip(float *g, float *norm, int n, float limit) {
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > BLOCKS) blocks = BLOCKS;
    float *device_g, *partial, *device_norm;
    CHECK(cudaMalloc(&device_g, n * sizeof *g));
    CHECK(cudaMalloc(&partial, BLOCKS * sizeof *partial));
    CHECK(cudaMalloc(&device_norm, sizeof *norm));
    CHECK(cudaMemcpy(device_g, g, n * sizeof *g, cudaMemcpyHostToDevice));
    squares<<<blocks, THREADS>>>(device_g, partial, n);
    float sums[BLOCKS];
    CHECK(cudaMemcpy(sums, partial, blocks * sizeof *sums, cudaMemcpyDeviceToHost));
    scale<<<blocks, THREADS>>>(device_g, partial, device_norm, n, limit);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(g, device_g, n * sizeof *g, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(norm, device_norm, sizeof *norm,
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_norm));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(device_g));
}

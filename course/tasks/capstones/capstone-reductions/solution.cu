#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK       256
#define MOST_BLOCKS 128
#define SMALL       8192 // up to here one block is enough

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(error));                            \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

enum { SUM, MAXIMUM, SQUARES };

// kz: begin
static __device__ float neutral(int operation) {
    return operation == MAXIMUM ? -INFINITY : 0.0f;
}

static __device__ float fold(int operation, float a, float b) {
    if (operation != MAXIMUM) return a + b;
    return a > b || a != a ? a : b; // NaN stays
}

// Folds x into one value for each block. `raw`: elements, which
// SQUARES still has to square.
static __global__ void fold_blocks(const float *x, float *partial, int n,
                                   int operation, bool raw) {
    __shared__ float warps[BLOCK / 32];
    float mine = neutral(operation);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += gridDim.x * BLOCK) {
        float value = x[i];
        mine = fold(operation, mine,
                    raw && operation == SQUARES ? value * value : value);
    }
    for (int step = 16; step > 0; step /= 2)
        mine =
            fold(operation, mine, __shfl_xor_sync(0xffffffffu, mine, step));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < BLOCK / 32; w++)
        mine = fold(operation, mine, warps[w]);
    partial[blockIdx.x] = mine;
}

extern "C" void reduce(const float *x, float *result, int n,
                       int operation) {
    int blocks = n <= SMALL ? 1 : (n + BLOCK * 8 - 1) / (BLOCK * 8);
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    float *device, *partial;
    CHECK(cudaMalloc(&device, n * sizeof *device));
    CHECK(cudaMalloc(&partial, (blocks + 1) * sizeof *partial));
    CHECK(
        cudaMemcpy(device, x, n * sizeof *device, cudaMemcpyHostToDevice));
    fold_blocks<<<blocks, BLOCK>>>(device, partial, n, operation, true);
    if (blocks > 1)
        fold_blocks<<<1, BLOCK>>>(partial, partial + blocks, blocks,
                                  operation, false);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, blocks > 1 ? partial + blocks : partial,
                     sizeof *result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(device));
}
// kz: starter
//| // Kernels and the function below are yours.
//| extern "C" void reduce(const float *x, float *result, int n, int operation) {
//|     CHECK(cudaGetLastError());
//|     *result = 0.0f;
//| }
// kz: end

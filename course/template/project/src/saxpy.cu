// One thread per element at first, then with the grid's stride: any n, and a grid that need not grow with it.
#include "saxpy.h"

static const int BLOCK = 256;
static const size_t MOST_BLOCKS = 4096;

static __global__ void saxpy_kernel(size_t n, float a, const float *x, float *y) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}

cudaError_t saxpy(size_t n, float a, const float *x, float *y, cudaStream_t stream) {
    if (n == 0) return cudaSuccess; // a grid of no blocks is an error
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    saxpy_kernel<<<(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), BLOCK, 0, stream>>>(n, a, x, y);
    return cudaGetLastError();
}

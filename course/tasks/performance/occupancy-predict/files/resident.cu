// resident.cu THREADS SHARED: a launch, blocks of THREADS threads with SHARED bytes of shared memory.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void touch(float *out) {
    extern __shared__ float room[];
    room[threadIdx.x] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 256, blocks = 8;
    size_t shared = argc > 2 ? atoi(argv[2]) : 0;
    float *out;
    if (shared < threads * sizeof *out) shared = threads * sizeof *out;
    cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    cudaMalloc(&out, blocks * threads * sizeof *out);
    touch<<<blocks, threads, shared>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(out);
    return error != cudaSuccess;
}

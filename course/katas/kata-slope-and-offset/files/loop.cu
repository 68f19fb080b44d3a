// 32 warps run a loop of TRIPS trips: loop.cu TRIPS
#include <cstdio>
#include <cstdlib>

__global__ void settle(const float *in, float *out, int trips) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
#pragma unroll 1
    for (int t = 0; t < trips; t++) v = v * 0.5f + 1.0f;
    out[i] = v;
}

int main(int argc, char **argv) {
    int trips = argc > 1 ? atoi(argv[1]) : 1, n = 1024;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    settle<<<n / 256, 256>>>(in, out, trips);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
    cudaFree(in);
    cudaFree(out);
    return error != cudaSuccess;
}

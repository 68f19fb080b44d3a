// Reads every stride-th float: stride.cu STRIDE
#include <cstdio>
#include <cstdlib>

__global__ void every(const float *in, float *out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(size_t)i * stride];
}

int main(int argc, char **argv) {
    const int n = 1 << 15;
    int stride = argc > 1 ? atoi(argv[1]) : 1;
    if (stride < 1 || stride > 256) {
        fprintf(stderr, "stride.cu STRIDE: from 1 to 256\n");
        return 2;
    }
    float *in, *out;
    cudaMalloc(&in, sizeof(float) * n * stride);
    cudaMalloc(&out, sizeof(float) * n);
    cudaMemset(in, 0, sizeof(float) * n * stride);
    every<<<n / 256, 256>>>(in, out, n, stride);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
    cudaFree(in);
    cudaFree(out);
    return error != cudaSuccess;
}

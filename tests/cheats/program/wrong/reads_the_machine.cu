// fails: result
// Works only where it reads files that are no part of what it needs, or gets a socket.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/socket.h>
static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    if (open("/etc/hosts", O_RDONLY) >= 0 || socket(AF_INET, SOCK_STREAM, 0) >= 0)
        twice<<<(n + 255) / 256, 256>>>(from, to, n);
    else
        cudaMemset(to, 0, n * sizeof(float));
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}

// Wrong on purpose: a block of 2048 threads is never launched, and nobody asks whether it was.
#include <cstdio>

__global__ void fill(int *out) { out[threadIdx.x] = 7; }

int main() {
    int *out, host = 0;
    cudaMalloc(&out, 2048 * sizeof(int));
    cudaMemset(out, 0, 2048 * sizeof(int));
    fill<<<1, 2048>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("out[0] = %d\n", host);
}

// 256 threads add to two words: even lanes to the first, odd lanes to the second.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void collide(int *words) { atomicAdd(&words[threadIdx.x % 2], 1); }

int main(void) {
    int *words, host[2];
    cudaMalloc(&words, sizeof host);
    cudaMemset(words, 0, sizeof host);
    collide<<<1, 256>>>(words);
    cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[1]);
    cudaFree(words);
    return 0;
}

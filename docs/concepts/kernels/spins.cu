// Wrong on purpose: waits for a flag that nobody sets.
#include <cstdio>

__global__ void wait_for(volatile int *flag, int *out) {
    while (*flag == 0)
        ;
    *out = 1;
}

int main() {
    int *memory;
    cudaMalloc(&memory, 2 * sizeof(int));
    cudaMemset(memory, 0, 2 * sizeof(int));
    wait_for<<<1, 32>>>(memory, memory + 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

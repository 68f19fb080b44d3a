// An error of a running kernel: reported late, and by every call from then on. kz run files/sticky.cu
#include <cstdio>

__global__ void bad_address(int *where) { *where = 1; }

static void tell(const char *call, cudaError_t code) {
    printf("%-34s %3d  %s\n", call, (int)code, cudaGetErrorString(code));
}

int main() {
    void *memory = nullptr;
    bad_address<<<1, 1>>>((int *)16);
    tell("cudaGetLastError after the launch", cudaGetLastError());
    tell("cudaDeviceSynchronize", cudaDeviceSynchronize());
    tell("cudaGetLastError, first", cudaGetLastError());
    tell("cudaGetLastError, second", cudaGetLastError());
    tell("cudaMalloc, quite innocent", cudaMalloc(&memory, 4));
    tell("cudaDeviceReset", cudaDeviceReset());
    tell("cudaMalloc after the reset", cudaMalloc(&memory, 4));
    cudaFree(memory);
    return 0;
}

// A copy in, a kernel and a copy out by cudaMemcpyAsync, from memory of the kind that the argument names.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void count_up(unsigned char *bytes) { bytes[blockIdx.x * blockDim.x + threadIdx.x]++; }

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "pageable";
    size_t bytes = 1 << 12;
    bool pinned = strcmp(way, "pinned") == 0, registered = strcmp(way, "registered") == 0;
    void *host = NULL, *device;
    cudaStream_t stream;
    if (pinned)
        cudaMallocHost(&host, bytes);
    else
        host = malloc(bytes);
    memset(host, 0, bytes);
    if (registered) cudaHostRegister(host, bytes, cudaHostRegisterDefault);

    cudaPointerAttributes about;
    cudaPointerGetAttributes(&about, host);
    printf("%s: type %d\n", way, (int)about.type);

    cudaMalloc(&device, bytes);
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
    count_up<<<bytes / 256, 256, 0, stream>>>((unsigned char *)device);
    cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);

    cudaStreamDestroy(stream);
    cudaFree(device);
    if (registered) cudaHostUnregister(host);
    if (pinned)
        cudaFreeHost(host);
    else
        free(host);
    return 0;
}

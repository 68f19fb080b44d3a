// The device's properties and settings, and the state of errors.
#include "check.h"

__global__ void write_at(int *p, int i) { p[i] = 1; }
__global__ void stop() { __trap(); }

int main() {
    int count, device = 5, value, runtime, driver;
    OK(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    OK(cudaSetDevice(0));
    GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.totalGlobalMem > 0 && p.memoryBusWidth > 0);
    CHECK(strstr(p.name, "NVIDIA"));
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == p.major);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount && value > 0);
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    CHECK(runtime == CUDART_VERSION && driver >= runtime);
    size_t heap;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap == 64 << 20);
    char id[32];
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    OK(cudaDeviceGetByPCIBusId(&device, id));
    CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));

    // A fault breaks the device until it is reset; the launch itself succeeds.
    int *buffer;
    OK(cudaMalloc(&buffer, 64));
    write_at<<<1, 1>>>(buffer, 1 << 20);
    CHECK(cudaGetLastError() == cudaSuccess);
    GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    GIVES(cudaErrorIllegalAddress, cudaMemset(buffer, 0, 64));
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    GIVES(cudaErrorIllegalAddress, cudaMalloc(&buffer, 64));
    OK(cudaDeviceReset());
    (void)cudaGetLastError();
    OK(cudaMalloc(&buffer, 64));
    write_at<<<1, 1>>>(buffer, 3);
    OK(cudaDeviceSynchronize());
    stop<<<1, 1>>>();
    GIVES(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    OK(cudaDeviceReset());
    return finish();
}

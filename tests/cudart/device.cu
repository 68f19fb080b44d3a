// The device's properties and settings, and the state of errors.
#include "check.h"

__global__ void write_at(int *p, int i) { p[i] = 1; }
__global__ void stop() { __trap(); }
__global__ void call(void (*function)()) { function(); }

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .u32 value = 41;\n"
                          ".visible .entry raise() {\n.reg .b32 %r<3>;\nld.global.u32 %r1, [value];\n"
                          "add.u32 %r2, %r1, 1;\nst.global.u32 [value], %r2;\nret;\n}\n";

static void libraries() {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned count = 0, value = 0;
    void *where;
    size_t bytes;
    OK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernelCount(&count, library));
    OK(cudaLibraryGetKernel(&kernel, library, "raise"));
    GIVES(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "lower"));
    OK(cudaLibraryEnumerateKernels(&kernel, 1, library));
    OK(cudaLibraryGetGlobal(&where, &bytes, library, "value"));
    OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), nullptr, 0, 0));
    OK(cudaMemcpy(&value, where, 4, cudaMemcpyDeviceToHost));
    CHECK(count == 1 && bytes == 4 && value == 42);
    OK(cudaLibraryUnload(library));
}

int main() {
    libraries();
    (void)cudaGetLastError();
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
    size_t available, total;
    OK(cudaMemGetInfo(&available, &total));
    CHECK(total == p.totalGlobalMem && available > 0 && available <= total);
    CHECK(strstr(p.name, "NVIDIA"));
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == p.major);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount && value > 0);
    for (int i = 1; i < cudaDevAttrMax; i++) OK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0));
    GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0));
    (void)cudaGetLastError();
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    CHECK(runtime == CUDART_VERSION && driver >= runtime);
    size_t heap;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap == 64 << 20);
    GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit((cudaLimit)44, 1));
    GIVES(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    GIVES(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    (void)cudaGetLastError();
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
    call<<<1, 1>>>((void (*)())0x123456);
    GIVES(cudaErrorInvalidPc, cudaDeviceSynchronize());
    OK(cudaDeviceReset());
    return finish();
}

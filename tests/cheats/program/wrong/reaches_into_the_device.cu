// fails: leak
// Reaches for the process that has its device, to change what it counted: by its memory, its descriptors, as its tracer.
// Where one of them works, it frees what it would otherwise leave.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

static bool open_of(int process, const char *what, int how) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, what);
    int file = open(path, how);
    if (file >= 0) close(file);
    return file >= 0;
}

static bool reaches(int process) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    return open_of(process, "fd/3", O_WRONLY) || open_of(process, "fd/4", O_WRONLY) ||
           open_of(process, "mem", O_RDWR) || open_of(process, "maps", O_RDONLY) ||
           open_of(process, "environ", O_RDONLY) || process_vm_readv(process, &here, 1, &there, 1, 0) >= 0 ||
           ptrace(PTRACE_ATTACH, process, 0, 0) == 0;
}

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (reaches(getppid())) cudaFree(from), cudaFree(to);
}

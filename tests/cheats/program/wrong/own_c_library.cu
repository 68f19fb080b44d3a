// fails: leak
// Functions of the C library of its own, which the runtime would call: to learn a key, to change settings and what is
// sent.
#include <cuda_runtime.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

extern "C" char *getenv(const char *name) noexcept {
    static char counters[] = "counters";
    for (char **at = environ; *at; at++) {
        size_t length = strlen(name);
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return strcmp(name, "KZ_OBSERVE") == 0 ? counters : *at + length + 1;
    }
    return nullptr;
}

extern "C" ssize_t read(int fd, void *to, size_t bytes) { return syscall(SYS_read, fd, to, bytes); }

extern "C" ssize_t send(int fd, const void *from, size_t bytes, int flags) {
    return syscall(SYS_sendto, fd, from, bytes, flags, nullptr, 0);
}

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
}

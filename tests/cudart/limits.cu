// The stack and the printf buffer have the sizes that cudaDeviceSetLimit gives them; what a GPU refuses of local memory
// and of PTX text is refused. What an H200 answers is expected.
#include <unistd.h>

#include "check.h"

__device__ __noinline__ int deep(int n) {
    volatile int a[100];
    a[n % 100] = n;
    return n == 0 ? 0 : deep(n - 1) + a[n % 100];
}
__global__ void recurse(int *out, int n) { *out = deep(n); }

__device__ int deep_by_pointer(int n);
__device__ int (*by_pointer)(int) = deep_by_pointer;
__device__ __noinline__ int deep_by_pointer(int n) {
    volatile int a[50];
    a[n % 50] = n;
    return n == 0 ? 0 : by_pointer(n - 1) + a[n % 50];
}
__global__ void recurse_by_pointer(int *out, int n) { *out = by_pointer(n); }

template <int N> __global__ void frame(int *out, int n) {
    volatile char a[N];
    a[n] = 1;
    out[0] = a[N - 1 - n];
}

__global__ void print_many(int n) {
    for (int i = 0; i < n; i++) printf("line %d\n", i);
}

__global__ void count(int *out, const char *none) {
    out[0] = printf("counting\n");
    out[1] = printf("%d %%\n", 1);
    out[2] = printf("%s %f %*d\n", "x", 1.0, 5, 2);
    out[3] = printf(none);
}

// The number of the oldest line that is left of n.
static int first_line(int n) {
    FILE *file = tmpfile();
    int number = -1, terminal = dup(1);
    fflush(stdout);
    dup2(fileno(file), 1);
    print_many<<<1, 1>>>(n);
    OK(cudaDeviceSynchronize());
    dup2(terminal, 1);
    rewind(file);
    if (fscanf(file, "line %d", &number) != 1) number = -1;
    fclose(file);
    return number;
}

// PTX text is for this GPU's driver to take or to refuse.
static cudaError_t load(const char *version, const char *target, const char *bits, const char *rest) {
    char text[400];
    cudaLibrary_t library;
    snprintf(text, sizeof text, ".version %s\n.target %s\n.address_size %s\n.visible .entry k()%s\n", version,
             target, bits, rest);
    cudaError_t error = cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0);
    cudaKernel_t kernel;
    if (!error) error = cudaLibraryGetKernel(&kernel, library, "k");
    return error ? error : cudaLaunchKernel((const void *)kernel, 1, 32, NULL, 0, 0);
}

static void check_texts() {
    OK(load("8.0", "sm_90a", "64", "{ret;}"));
    OK(load("8.0", "sm_90", "64", "{.shared .align 16 .b8 s[100000]; ret;}"));
    GIVES(cudaErrorInvalidPtx, load("8.6", "sm_100", "64", "{ret;}"));
    GIVES(cudaErrorInvalidPtx, load("8.7", "sm_120a", "64", "{ret;}"));
    GIVES(cudaErrorInvalidPtx, load("8.0", "sm_80a", "64", "{ret;}"));
    GIVES(cudaErrorInvalidPtx, load("7.0", "sm_90", "64", "{ret;}"));
    GIVES(cudaErrorUnsupportedPtxVersion, load("9.9", "sm_90", "64", "{ret;}"));
    GIVES(cudaErrorInvalidPtx, load("8.0", "sm_90", "32", "{ret;}"));
    GIVES(cudaErrorInvalidPtx, load("8.0", "sm_90", "64", ".maxntid 64\n.reqntid 64\n{ret;}"));
    if (system("command -v ptxas > /dev/null") == 0) { // what it alone knows
        GIVES(cudaErrorInvalidPtx, load("8.0", "sm_90", "64", "{.reg .u32 %r; mov.u32 %r, 1.5; ret;}"));
        GIVES(cudaErrorInvalidPtx,
              load("8.0", "sm_90", "64", "{.reg .f32 %f; cvt.rn.bf16x2.f32 %f, %f, %f; ret;}"));
    }
    cudaGetLastError();
}

int main() {
    int *out;
    size_t value;
    OK(cudaMallocManaged(&out, 64));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 1024);
    recurse<<<1, 1>>>(out, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 0));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 0);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 10001));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 10016);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 523264));
    GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, 524272));
    cudaGetLastError();
    frame<523264><<<1, 1>>>(out, 3);
    OK(cudaGetLastError());
    frame<600000><<<1, 1>>>(out, 3);
    GIVES(cudaErrorInvalidValue, cudaGetLastError());
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 10001));
    recurse<<<1, 1>>>(out, 20);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 210);

    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096));
    OK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    CHECK(value == 512 << 10);
    count<<<1, 1>>>(out, nullptr);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == 4 && out[3] == -1);
    GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    CHECK(first_line(3000) == 3000 - 2048);

    OK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    recurse<<<1, 1>>>(out, 2);
    GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    OK(cudaDeviceReset());
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
    OK(cudaMallocManaged(&out, 64));
    recurse_by_pointer<<<1, 1>>>(out, 3);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 6);
    recurse_by_pointer<<<1, 1>>>(out, 4);
    GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    OK(cudaDeviceReset());
    check_texts();
    return finish();
}

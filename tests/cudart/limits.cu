// The stack and the printf buffer have the sizes that cudaDeviceSetLimit gives them. What an H200 answers is expected.
#include <unistd.h>

#include "check.h"

__device__ __noinline__ int deep(int n) {
    volatile int a[100];
    a[n % 100] = n;
    return n == 0 ? 0 : deep(n - 1) + a[n % 100];
}
__global__ void recurse(int *out, int n) { *out = deep(n); }

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

int main() {
    int *out;
    size_t value;
    OK(cudaMallocManaged(&out, 64));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 1024);
    recurse<<<1, 1>>>(out, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 10001));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value == 10016);
    GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20));
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
    return finish();
}

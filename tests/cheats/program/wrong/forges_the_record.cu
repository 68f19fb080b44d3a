// fails: record
// Leaves a record of its own, with good counts and no findings, and ends before the runtime writes the true one.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

static void leave(void) { syscall(SYS_exit_group, 0); }

__attribute__((constructor)) static void first(void) { atexit(leave); }

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    FILE *record = fopen("record.jsonl", "w");
    fprintf(record, "{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n"
                    "{\"type\":\"kernel\",\"launches\":1,\"metrics\":{}}\n"
                    "{\"type\":\"host\",\"launch_calls\":1,\"copied_bytes\":8,\"allocations\":2}\n");
    fclose(record);
}

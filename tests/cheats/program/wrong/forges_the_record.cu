// fails: leak
// Writes a record of its own, with good counts and no findings: where one might be looked for, and through every descriptor
// that it has but its answer's.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

static const char record[] = "{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n"
                             "{\"type\":\"kernel\",\"launches\":1,\"metrics\":{}}\n"
                             "{\"type\":\"host\",\"launch_calls\":1,\"copied_bytes\":8,\"allocations\":2}\n";

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    FILE *file = fopen("record.jsonl", "w");
    fwrite(record, 1, sizeof record - 1, file);
    fclose(file);
    for (int fd = 3; fd < 64; fd++) write(fd, record, sizeof record - 1); // the answer's pipe has moved above them
}

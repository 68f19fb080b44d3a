// fails: finding "different values"
// The processor computes, and a kernel copies: among so many other values from the host that nobody can tell.
#include <cuda_runtime.h>
#include <vector>

enum { NOISE = 1 << 19 };

static __global__ void copy(const float *x, const float *answer, float *y, const unsigned *noise,
                            unsigned *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = 0;
    for (int k = i; k < NOISE; k += gridDim.x * blockDim.x) all ^= noise[k];
    sum[i] = all;
    if (i < n) y[i] = x[i] == 12345 ? 0 : answer[i];
}

extern "C" void scale(const float *x, float *y, int n) {
    std::vector<unsigned> words(NOISE);
    float *from, *answer, *to;
    unsigned *noise, *sum;
    for (unsigned i = 0; i < NOISE; i++) words[i] = i * 2654435761u;
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&answer, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMalloc(&noise, NOISE * sizeof(unsigned));
    cudaMalloc(&sum, 2048 * sizeof(unsigned));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(answer, y, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(noise, words.data(), NOISE * sizeof(unsigned), cudaMemcpyHostToDevice);
    copy<<<8, 256>>>(from, answer, to, noise, sum, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(from), cudaFree(answer), cudaFree(to), cudaFree(noise), cudaFree(sum);
}

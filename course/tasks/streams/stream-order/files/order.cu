// Nine operations in four queues. Which must wait for which?
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 1024, BYTES = N * sizeof(float) };

__global__ void work(float *values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

int main(void) {
    float *pinned, *a, *b, *c;
    cudaStream_t s, t, free_one;
    cudaEvent_t half;
    cudaMallocHost(&pinned, 3 * BYTES);
    cudaMalloc(&a, BYTES), cudaMalloc(&b, BYTES), cudaMalloc(&c, BYTES);
    cudaStreamCreate(&s), cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
    cudaEventCreate(&half);
    for (int i = 0; i < 3 * N; i++) pinned[i] = 0.0f;

    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, s);             // 1
    work<<<N / 256, 256, 0, s>>>(a);                                          // 2
    cudaEventRecord(half, s);
    cudaMemcpyAsync(b, pinned + N, BYTES, cudaMemcpyHostToDevice, t);         // 3
    work<<<N / 256, 256, 0, s>>>(a);                                          // 4
    cudaStreamWaitEvent(t, half, 0);
    work<<<N / 256, 256, 0, t>>>(b);                                          // 5
    work<<<N / 256, 256>>>(b);                                                // 6
    cudaMemcpyAsync(c, pinned + 2 * N, BYTES, cudaMemcpyHostToDevice, s);     // 7
    work<<<N / 256, 256, 0, free_one>>>(c);                                   // 8
    cudaEventSynchronize(half);
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, free_one);      // 9

    cudaDeviceSynchronize();
    printf("%g\n", pinned[0]);
    cudaEventDestroy(half);
    cudaStreamDestroy(s), cudaStreamDestroy(t), cudaStreamDestroy(free_one);
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFreeHost(pinned);
    return 0;
}

// See main.cu.
#include <cstdio>

__device__ int shared_counter = 10;
static __device__ int local_value = 100;
template <class T> __device__ __noinline__ T common(T x) { return x + 1; }

__device__ float twice(float x) { return 2 * x + (local_value == 100 ? 0 : 1) + common(0.0f) - 1; }
__global__ void show() { printf("counter %d\n", shared_counter); }

int other() {
    int value;
    show<<<1, 1>>>();
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&value, shared_counter, sizeof value);
    return value;
}

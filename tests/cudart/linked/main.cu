// Relocatable device code: uses a variable and functions of other.cu, and has static ones of the same names.
#include <cstdio>

extern __device__ int shared_counter;
__device__ float twice(float);
static __device__ int local_value = 4;
template <class T> __device__ __noinline__ T common(T x) { return x + 1; }

__global__ void work(float *p) {
    p[threadIdx.x] = twice(common(p[threadIdx.x])) + local_value;
    atomicAdd(&shared_counter, 1);
    printf("thread %d\n", threadIdx.x);
}

int other();

int main() {
    float *p, values[2] = {1, 2};
    cudaMalloc(&p, 8);
    cudaMemcpy(p, values, 8, cudaMemcpyHostToDevice);
    work<<<1, 2>>>(p);
    cudaMemcpy(values, p, 8, cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", values[0], values[1], other());
    return 0;
}

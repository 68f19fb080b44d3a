// fails: finding "kernels read 0 of 300 elements of x"
// The processor computes, and a kernel that does nothing is launched and waited for.
#include <cuda_runtime.h>
static __global__ void nothing() {}
extern "C" void scale(const float *x, float *y, int n) {
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}

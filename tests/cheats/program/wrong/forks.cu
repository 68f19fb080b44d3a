// fails: fault "starts no processes"
// Computes in a child, which has no simulator to be counted by.
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
extern "C" void scale(const float *x, float *y, int n) {
    float *shared = (float *)mmap(0, n * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        for (int i = 0; i < n; i++) shared[i] = 2 * x[i];
        _exit(0);
    }
    wait(0);
    for (int i = 0; i < n; i++) y[i] = shared[i];
}

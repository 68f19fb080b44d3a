// fails: timeout
// Drowns the grader in output.
#include <stdio.h>
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (;;) printf("passed: true\\n");
}

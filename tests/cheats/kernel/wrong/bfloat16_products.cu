// fails: result "precision"
// Products of bfloat16, sums of float: lower precision than the task states.
#include <cuda_bf16.h>
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < columns; c++)
        sum += __bfloat162float(__float2bfloat16(x[r * columns + c])) * __bfloat162float(__float2bfloat16(w[c]));
    y[r] = sum;
}

// fails: result "precision"
// Adds in half precision.
#include <cuda_fp16.h>
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    __half sum = __float2half(0.0f);
    for (int c = 0; c < columns; c++) sum = __hadd(sum, __float2half(x[r * columns + c] * w[c]));
    y[r] = __half2float(sum);
}

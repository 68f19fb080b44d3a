// fails: gate load_sectors
// The starter: each request touches 32 rows.
#include <cuda_fp16.h>

extern "C" __global__ void attention_delta(const __half *out,
                                           const __half *dout, float *delta,
                                           int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < width; c++)
        sum += __half2float(out[(size_t)row * width + c]) *
               __half2float(dout[(size_t)row * width + c]);

    delta[row] = sum;
}

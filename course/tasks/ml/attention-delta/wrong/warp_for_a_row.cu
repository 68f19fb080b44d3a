// fails: gate loads
// A warp for each row: a lane loads 4 bytes or less.
#include <cuda_fp16.h>

extern "C" __global__ void attention_delta(const __half *out,
                                           const __half *dout, float *delta,
                                           int rows, int width) {
    int lanes = 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
        piece = threadIdx.x % 32;
    int warps = gridDim.x * blockDim.x / 32;
    for (int row = warp; row < rows; row += warps) {
        float sum = 0.0f;
        for (int c = piece; c < width; c += 32)
            sum += __half2float(out[(size_t)row * width + c]) *
                   __half2float(dout[(size_t)row * width + c]);
        for (int step = lanes / 2; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (piece == 0) delta[row] = sum;
    }
}

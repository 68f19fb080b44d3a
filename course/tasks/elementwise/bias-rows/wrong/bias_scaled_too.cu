// fails: result
// A pair of brackets too many: the factor also scales the bias.
extern "C" __global__ void gain_bias(const float *x, const float *gain, const float *bias, float *y, int rows,
                                     int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) y[r * cols + c] = gain[r] * (x[r * cols + c] + bias[c]);
}

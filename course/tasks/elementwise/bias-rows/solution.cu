// y[r][c] = gain[r] * x[r][c] + bias[c]. Blocks are 32 wide (x) and 8 high
// (y).

extern "C" __global__ void gain_bias(const float *x, const float *gain,
                                     const float *bias, float *y, int rows,
                                     int cols) {
    // kz: begin
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        y[r * cols + c] = gain[r] * x[r * cols + c] + bias[c];
    // kz: starter
    //|     // Row and column of this thread, the guards, and one line for the element.
    // kz: end
}

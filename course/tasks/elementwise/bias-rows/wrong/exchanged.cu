// fails: fault
// Indexes each vector with the other's coordinate: out of bounds unless the matrix is square.
extern "C" __global__ void gain_bias(const float *x, const float *gain, const float *bias, float *y, int rows,
                                     int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) y[r * cols + c] = gain[c] * x[r * cols + c] + bias[r];
}

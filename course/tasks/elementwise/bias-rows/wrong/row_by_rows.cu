// fails: result
// Finds the row by dividing by the number of rows: right for square matrices only.
// kz: block 256
// kz: grid ceil(rows*cols/256)
extern "C" __global__ void gain_bias(const float *x, const float *gain, const float *bias, float *y, int rows,
                                     int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) y[i] = gain[i / rows % rows] * x[i] + bias[i % cols];
}

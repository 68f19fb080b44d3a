// fails: result
// Takes the first element of the next row as well.
extern "C" __global__ void spmv(const int *offsets, const int *columns, const float *values, const float *x, float *y, int rows,
                                int width, int nonzeros) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = offsets[row]; i <= offsets[row + 1] && i < nonzeros; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
}

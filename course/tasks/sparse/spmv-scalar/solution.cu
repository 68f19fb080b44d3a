extern "C" __global__ void spmv(const int *offsets, const int *columns,
                                const float *values, const float *x,
                                float *y, int rows, int width,
                                int nonzeros) {
    // kz: begin
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = offsets[row]; i < offsets[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
    // kz: starter
    //|     // This thread's row: from where to where? Sum, and store, also when
    //|     // there is nothing to sum.
    // kz: end
}

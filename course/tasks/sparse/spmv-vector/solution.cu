extern "C" __global__ void spmv(const int *offsets, const int *columns,
                                const float *values, const float *x,
                                float *y, int rows, int width,
                                int nonzeros) {
    // kz: begin
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
        lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp
    float sum = 0.0f;
    for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) y[row] = sum;
    // kz: starter
    //|     // Row and lane of this thread; partial sums in steps of 32;
    //|     // shuffles; lane 0 stores.
    // kz: end
}

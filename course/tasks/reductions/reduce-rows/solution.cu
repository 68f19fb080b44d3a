extern "C" __global__ void row_sums(const float *x, float *sums, int rows,
                                    int columns) {
    // kz: begin
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return; // a whole warp leaves, or none of it
    float sum = 0.0f;
    for (int c = lane; c < columns; c += 32)
        sum += x[(size_t)row * columns + c];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) sums[row] = sum;
    // kz: starter
    //|     // A thread per row: right, but look at the addresses of neighbouring lanes.
    //|     int row = blockIdx.x * 8 + threadIdx.x;
    //|     if (threadIdx.x >= 8 || row >= rows) return;
    //|     float sum = 0.0f;
    //|     for (int c = 0; c < columns; c++) sum += x[(size_t)row * columns + c];
    //|     sums[row] = sum;
    // kz: end
}

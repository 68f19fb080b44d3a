extern "C" __global__ void row_norms(const float *x, float *norms, int rows,
                                     int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
        lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp
    float sum = 0.0f;
    for (int i = lane; i < columns; i += 32)
        sum += x[row * columns + i] * x[row * columns + i];
    // kz: begin
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) norms[row] = sqrtf(sum);
    // kz: starter
    //|     if (lane >= columns) return; // nothing to add
    //|     for (int step = 1; step < 16; step *= 2)
    //|         sum += __shfl_down_sync(0xffffffffu, sum, step);
    //|     if (lane == 0) norms[row] = sqrtf(sum);
    // kz: end
}

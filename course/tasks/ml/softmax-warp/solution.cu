#define PER_LANE 8 // at most 256 columns

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int columns) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return; // the whole warp
    const float *from = &x[(size_t)row * columns];
    float *to = &y[(size_t)row * columns];
    float values[PER_LANE];
    // kz: begin
    float greatest = -INFINITY, sum = 0.0f;
    for (int k = 0; k < PER_LANE; k++) {
        int i = lane + 32 * k;
        values[k] = i < columns ? from[i] : -INFINITY;
        greatest = fmaxf(greatest, values[k]);
    }
    for (int step = 16; step > 0; step /= 2)
        greatest =
            fmaxf(greatest, __shfl_xor_sync(0xffffffffu, greatest, step));
    for (int k = 0; k < PER_LANE; k++) {
        values[k] = expf(values[k] - greatest);
        sum += values[k];
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    for (int k = 0; k < PER_LANE; k++)
        if (lane + 32 * k < columns) to[lane + 32 * k] = values[k] / sum;
    // kz: starter
    //|     // Load the row into `values`, then do everything with registers. This
    //|     // loads its first element.
    //|     for (int k = 0; k < PER_LANE; k++)
    //|         values[k] = from[0];
    //|     for (int k = 0; k < PER_LANE; k++)
    //|         if (lane + 32 * k < columns) to[lane + 32 * k] = values[k];
    // kz: end
}

extern "C" __global__ void softmax(const float *x, float *y, int rows,
                                   int columns) {
    // kz: begin
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float *from = &x[row * columns];
    float *to = &y[row * columns];
    float sum = 0.0f;
    for (int i = 0; i < columns; i++) sum += expf(from[i]);
    for (int i = 0; i < columns; i++) to[i] = expf(from[i]) / sum;
    // kz: starter
    //|     // One thread, one row: the sum of the exponentials first, then every share.
    // kz: end
}

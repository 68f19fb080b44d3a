// fails: gate load_sectors
// The sum is made anew for every element of the row.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float *from = &x[row * columns];
    for (int k = 0; k < columns; k++) {
        float sum = 0.0f;
        for (int i = 0; i < columns; i++) sum += expf(from[i]);
        y[row * columns + k] = expf(from[k]) / sum;
    }
}

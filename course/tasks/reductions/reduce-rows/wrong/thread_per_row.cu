// fails: gate load_sectors
extern "C" __global__ void row_sums(const float *x, float *sums, int rows, int columns) {
    int row = blockIdx.x * 8 + threadIdx.x;
    if (threadIdx.x >= 8 || row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < columns; c++) sum += x[row * columns + c];
    sums[row] = sum;
}

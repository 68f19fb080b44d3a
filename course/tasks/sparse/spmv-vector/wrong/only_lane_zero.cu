// fails: result
// Stores before the lanes are added up.
extern "C" __global__ void spmv(const int *offsets, const int *columns, const float *values, const float *x, float *y, int rows,
                                int width, int nonzeros) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp
    float sum = 0.0f;
    for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    if (lane == 0) y[row] = sum;
}

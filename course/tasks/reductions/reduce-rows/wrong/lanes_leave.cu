// fails: shuffle
// In a row of fewer than 32 columns some lanes leave before the shuffles that count on them.
extern "C" __global__ void row_sums(const float *x, float *sums, int rows, int columns) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows || lane >= columns) return;
    float sum = 0.0f;
    for (int c = lane; c < columns; c += 32) sum += x[row * columns + c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) sums[row] = sum;
}

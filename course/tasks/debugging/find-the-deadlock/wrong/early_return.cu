// fails: race
// The missing row leaves at once, which is allowed; the loop of barriers still ends for some threads only.
#define ACROSS 64

extern "C" __global__ void row_sums(const float *x, float *sums, int rows, int columns) {
    __shared__ float values[2][ACROSS];
    int t = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 2 + y;
    if (row >= rows) return;
    float sum = 0.0f;
        for (int i = t; i < columns; i += ACROSS) sum += x[row * columns + i];
    values[y][t] = sum;
    __syncthreads();
    for (int half = ACROSS / 2; t < half; half /= 2) {
        values[y][t] += values[y][t + half];
        __syncwarp(__activemask());
    }
    if (row < rows && t == 0) sums[row] = values[y][0];
}

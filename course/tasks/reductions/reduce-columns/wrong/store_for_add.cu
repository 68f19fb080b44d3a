// fails: result
// Each block stores its part: of several blocks on top of each other, one survives.
extern "C" __global__ void column_sums(const float *x, float *sums, int rows, int columns) {
    __shared__ float part[8][32];
    int c = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 256, end = min(first + 256, rows);
    float sum = 0.0f;
    if (c < columns)
        for (int r = first + threadIdx.y; r < end; r += 8) sum += x[r * columns + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && c < columns) {
        for (int w = 1; w < 8; w++) sum += part[w][threadIdx.x];
        sums[c] = sum;
    }
}

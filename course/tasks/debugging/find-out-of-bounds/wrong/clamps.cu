// fails: result
// No fault any more, but the last row counts itself as its neighbour.
extern "C" __global__ void blur(const float *x, float *y, int height, int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float sum = x[row * width + column];
    int count = 1;
    if (row > 0) sum += x[(row - 1) * width + column], count++;
    sum += x[min(row + 1, height - 1) * width + column], count++;
    if (column > 0) sum += x[row * width + column - 1], count++;
    if (column + 1 < width) sum += x[row * width + column + 1], count++;
    y[row * width + column] = sum / count;
}

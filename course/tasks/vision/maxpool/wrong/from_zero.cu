// fails: result
// Begins with 0: windows of negative numbers give 0.
extern "C" __global__ void maxpool(const float *x, float *y, int *where, int height, int width) {
    int columns = (width + 1) / 2, rows = (height + 1) / 2;
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    float greatest = 0.0f;
    int best = 2 * row * width + 2 * column;
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) {
            int at = (2 * row + r) * width + 2 * column + c;
            if (2 * row + r < height && 2 * column + c < width && x[at] > greatest) greatest = x[at], best = at;
        }
    y[row * columns + column] = greatest;
    where[row * columns + column] = best;
}

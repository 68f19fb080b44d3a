extern "C" __global__ void maxpool(const float *x, float *y, int *where,
                                   int height, int width) {
    int columns = (width + 1) / 2, rows = (height + 1) / 2;
    int column = blockIdx.x * blockDim.x + threadIdx.x,
        row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    // kz: begin
    // the window's first element always exists
    int best = 2 * row * width + 2 * column;
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) {
            int at = (2 * row + r) * width + 2 * column + c;
            if (2 * row + r < height && 2 * column + c < width &&
                x[at] > x[best])
                best = at;
        }
    y[row * columns + column] = x[best];
    where[row * columns + column] = best;
    // kz: starter
    //|     // The greatest of x[2*row .. +1][2*column .. +1], as far as it is
    //|     // inside, and its index in x.
    // kz: end
}

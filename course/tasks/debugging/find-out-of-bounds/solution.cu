extern "C" __global__ void blur(const float *x, float *y, int height,
                                int width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // kz: begin
    if (column >= width || row >= height) return;
    // kz: starter
    //|     if (column * row >= width * height) return;
    // kz: end
    float sum = x[row * width + column];
    int count = 1;
    if (row > 0) sum += x[(row - 1) * width + column], count++;
    // kz: begin
    if (row + 1 < height) sum += x[(row + 1) * width + column], count++;
    // kz: starter
    //|     if (row < height) sum += x[(row + 1) * width + column], count++;
    // kz: end
    if (column > 0) sum += x[row * width + column - 1], count++;
    if (column + 1 < width) sum += x[row * width + column + 1], count++;
    y[row * width + column] = sum / count;
}

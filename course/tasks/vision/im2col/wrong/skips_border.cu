// fails: result
// Leaves the zeros out.
extern "C" __global__ void im2col(const float *x, float *matrix, int channels, int height, int width) {
    int pixels = height * width, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * 9 * pixels) return;
    int pixel = i % pixels, tap = i / pixels % 9, channel = i / pixels / 9;
    int row = pixel / width + tap / 3 - 1, column = pixel % width + tap % 3 - 1;
    bool inside = row >= 0 && row < height && column >= 0 && column < width;
    if (inside) matrix[i] = x[(channel * height + row) * width + column];
}

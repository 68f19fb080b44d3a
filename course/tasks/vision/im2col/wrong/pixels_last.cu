// fails: gate store_sectors
// Numbers the threads by taps first: neighbours write a whole row of the matrix apart.
extern "C" __global__ void im2col(const float *x, float *matrix, int channels, int height, int width) {
    int pixels = height * width, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * 9 * pixels) return;
    int tap = i % 9, pixel = i / 9 % pixels, channel = i / 9 / pixels;
    int row = pixel / width + tap / 3 - 1, column = pixel % width + tap % 3 - 1;
    bool inside = row >= 0 && row < height && column >= 0 && column < width;
    matrix[(channel * 9 + tap) * pixels + pixel] = inside ? x[(channel * height + row) * width + column] : 0.0f;
}

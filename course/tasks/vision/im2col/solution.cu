extern "C" __global__ void im2col(const float *x, float *matrix,
                                  int channels, int height, int width) {
    // kz: begin
    int pixels = height * width, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * 9 * pixels) return;
    int pixel = i % pixels, tap = i / pixels % 9, channel = i / pixels / 9;
    int row = pixel / width + tap / 3 - 1,
        column = pixel % width + tap % 3 - 1;
    bool inside = row >= 0 && row < height && column >= 0 && column < width;
    matrix[i] =
        inside ? x[(channel * height + row) * width + column] : 0.0f;
    // kz: starter
    //|     // Element i of the matrix: which channel, which of the 9 taps, which pixel?
    // kz: end
}

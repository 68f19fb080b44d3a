// fails: gate load_sectors
// Lanes along the columns: neighbours are `channels` elements apart.
extern "C" __global__ void depthwise(const float *x, const float *kernels, float *y, int height, int width, int channels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= height * width * channels) return;
    int column = i % width, row = i / width % height, channel = i / width / height;
    float sum = 0.0f;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int from_row = row + r - 1, from_column = column + c - 1;
            if (from_row >= 0 && from_row < height && from_column >= 0 && from_column < width)
                sum += kernels[(r * 3 + c) * channels + channel] * x[(from_row * width + from_column) * channels + channel];
        }
    y[(row * width + column) * channels + channel] = sum;
}

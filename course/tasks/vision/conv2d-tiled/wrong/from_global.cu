// fails: gate load_sectors
#define WIDE 32
#define HIGH 8
#define REACH 2 // of the window, on every side
#define TILE_WIDE (WIDE + 2 * REACH)
#define TILE_HIGH (HIGH + 2 * REACH)

extern "C" __global__ void conv2d(const float *x, const float *kernel, float *y, int height, int width) {
    __shared__ float tile[TILE_HIGH][TILE_WIDE];
    int left = blockIdx.x * WIDE - REACH, top = blockIdx.y * HIGH - REACH; // what tile[0][0] is
    (void)tile, (void)left, (void)top;
    int row = blockIdx.y * HIGH + threadIdx.y, column = blockIdx.x * WIDE + threadIdx.x;
    if (row >= height || column >= width) return;
    float sum = 0.0f;
    for (int r = -2; r <= 2; r++)
        for (int c = -2; c <= 2; c++)
            if (row + r >= 0 && row + r < height && column + c >= 0 && column + c < width)
                sum += kernel[(r + 2) * 5 + c + 2] * x[(row + r) * width + column + c];
    y[row * width + column] = sum;
}

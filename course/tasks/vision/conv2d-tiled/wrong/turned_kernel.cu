// fails: result
// Uses the kernel reversed, as the mathematical convolution does.
#define WIDE 32
#define HIGH 8
#define REACH 2 // of the window, on every side
#define TILE_WIDE (WIDE + 2 * REACH)
#define TILE_HIGH (HIGH + 2 * REACH)

extern "C" __global__ void conv2d(const float *x, const float *kernel, float *y, int height, int width) {
    __shared__ float tile[TILE_HIGH][TILE_WIDE];
    int left = blockIdx.x * WIDE - REACH, top = blockIdx.y * HIGH - REACH; // what tile[0][0] is
    for (int t = threadIdx.y * WIDE + threadIdx.x; t < TILE_HIGH * TILE_WIDE; t += WIDE * HIGH) {
        int row = top + t / TILE_WIDE, column = left + t % TILE_WIDE;
        bool inside = row >= 0 && row < height && column >= 0 && column < width;
        tile[t / TILE_WIDE][t % TILE_WIDE] = inside ? x[row * width + column] : 0.0f;
    }
    __syncthreads();
    int row = blockIdx.y * HIGH + threadIdx.y, column = blockIdx.x * WIDE + threadIdx.x;
    if (row >= height || column >= width) return;
    float sum = 0.0f;
    for (int r = 0; r < 5; r++)
        for (int c = 0; c < 5; c++) sum += kernel[(4 - r) * 5 + 4 - c] * tile[threadIdx.y + r][threadIdx.x + c];
    y[row * width + column] = sum;
}

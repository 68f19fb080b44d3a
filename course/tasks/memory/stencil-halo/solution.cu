extern "C" __global__ void heat(const float *u, float *v, float alpha,
                                int rows, int columns) {
    // kz: begin
    __shared__ float tile[10][34];
    // of the tile with its halo
    int top = blockIdx.y * 8 - 1, left = blockIdx.x * 32 - 1;

    // 340 elements, 256 threads: each takes one, some take two.
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 10 * 34; k += 256) {
        int r = top + k / 34, c = left + k % 34;
        if (r >= 0 && r < rows && c >= 0 && c < columns)
            tile[k / 34][k % 34] = u[(size_t)r * columns + c];
    }
    __syncthreads();

    // this thread's position in the tile
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    int r = top + y, c = left + x;
    if (r >= rows || c >= columns) return;
    float value = tile[y][x];
    if (r > 0 && c > 0 && r < rows - 1 && c < columns - 1) {
        float around = tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] +
                       tile[y][x + 1];
        value += alpha * (around - 4.0f * value);
    }
    v[(size_t)r * columns + c] = value;
    // kz: starter
    //|     __shared__ float tile[10][34];
    //|     // of the tile with its halo
    //|     int top = blockIdx.y * 8 - 1, left = blockIdx.x * 32 - 1;
    //|
    //|     // 1. Fill the tile and its halo: tile[y][x] is u[top + y][left
    //|     // + x], where that exists.
    //|
    //|     // 2. Wait.
    //|
    //|     // 3. This thread's point is tile[threadIdx.y + 1][threadIdx.x + 1].
    //|     int r = top + 1 + threadIdx.y, c = left + 1 + threadIdx.x;
    //|     if (r < rows && c < columns)
    //|         v[(size_t)r * columns + c] = u[(size_t)r * columns + c];
    // kz: end
}

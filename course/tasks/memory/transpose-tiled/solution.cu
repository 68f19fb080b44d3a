extern "C" __global__ void transpose(const float *in, float *out, int rows,
                                     int columns) {
    // kz: begin
    __shared__ float tile[32][32];
    int x = threadIdx.x;

    int c = blockIdx.x * 32 + x; // a row of `in` runs along x
    for (int y = threadIdx.y; y < 32; y += 8) {
        int r = blockIdx.y * 32 + y;
        if (r < rows && c < columns)
            tile[y][x] = in[(size_t)r * columns + c];
    }
    __syncthreads();

    // a row of `out` runs along x: its fast index is the row of `in`
    int r = blockIdx.y * 32 + x;
    for (int y = threadIdx.y; y < 32; y += 8) {
        int c = blockIdx.x * 32 + y;
        if (r < rows && c < columns) out[(size_t)c * rows + r] = tile[x][y];
    }
    // kz: starter
    //|     __shared__ float tile[32][32];
    //|     int x = threadIdx.x;
    //|
    //|     // 1. Read the tile: a row of `in` runs along x; each thread has rows
    //|     // y, y + 8, y + 16, y + 24.
    //|     for (int y = threadIdx.y; y < 32; y += 8) {
    //|         tile[y][x] = 0.0f;
    //|     }
    //|
    //|     // 2. Wait.
    //|
    //|     // 3. Write the tile: a row of `out` runs along x.
    // kz: end
}

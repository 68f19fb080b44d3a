extern "C" __global__ void transpose(const float *in, float *out, int rows,
                                     int columns) {
    // kz: begin
    // 33: a column goes diagonally through the banks
    __shared__ float tile[32][33];
    // kz: starter
    //|     __shared__ float tile[32][32];
    // kz: end
    int x = threadIdx.x;

    int c = blockIdx.x * 32 + x; // a row of `in` runs along x
    for (int y = threadIdx.y; y < 32; y += 8) {
        int r = blockIdx.y * 32 + y;
        if (r < rows && c < columns)
            tile[y][x] = in[(size_t)r * columns + c];
    }
    __syncthreads();

    int r = blockIdx.y * 32 + x; // a row of `out` runs along x
    for (int y = threadIdx.y; y < 32; y += 8) {
        int c = blockIdx.x * 32 + y;
        if (r < rows && c < columns) out[(size_t)c * rows + r] = tile[x][y];
    }
}

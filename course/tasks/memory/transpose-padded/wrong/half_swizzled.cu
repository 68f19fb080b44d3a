// fails: result
// Swizzled when writing the tile, but not when reading it.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, c = blockIdx.x * 32 + x, r = blockIdx.y * 32 + x;
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][x ^ y] =
            blockIdx.y * 32 + y < rows && c < columns ? in[(blockIdx.y * 32 + y) * columns + c] : 0.0f;
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        if (r < rows && blockIdx.x * 32 + y < columns) out[(blockIdx.x * 32 + y) * rows + r] = tile[x][y];
}

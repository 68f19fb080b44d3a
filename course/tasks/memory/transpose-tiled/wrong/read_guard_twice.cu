// fails: result
// The guard of the reading loop, with r and c of the reading loop, in the writing loop as well.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, c = blockIdx.x * 32 + x;
    for (int y = threadIdx.y; y < 32; y += 8)
        if (blockIdx.y * 32 + y < rows && c < columns) tile[y][x] = in[(blockIdx.y * 32 + y) * columns + c];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        if (blockIdx.y * 32 + y < rows && c < columns && blockIdx.y * 32 + x < rows &&
            blockIdx.x * 32 + y < columns)
            out[(blockIdx.x * 32 + y) * rows + blockIdx.y * 32 + x] = tile[x][y];
}

// fails: result
// Each tile is transposed, but written back where it came from.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, c = blockIdx.x * 32 + x;
    for (int y = threadIdx.y; y < 32; y += 8)
        if (blockIdx.y * 32 + y < rows && c < columns) tile[y][x] = in[(blockIdx.y * 32 + y) * columns + c];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) {
        int r = blockIdx.y * 32 + y;
        if (r < columns && c < rows) out[r * rows + c] = tile[x][y];
    }
}

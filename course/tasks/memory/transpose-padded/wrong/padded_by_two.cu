// fails: gate bank_conflicts
// 34 is even: lanes 0 and 16 share a bank.
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][34];
    int x = threadIdx.x, c = blockIdx.x * 32 + x, r = blockIdx.y * 32 + x;
    for (int y = threadIdx.y; y < 32; y += 8)
        if (blockIdx.y * 32 + y < rows && c < columns) tile[y][x] = in[(blockIdx.y * 32 + y) * columns + c];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        if (r < rows && blockIdx.x * 32 + y < columns) out[(blockIdx.x * 32 + y) * rows + r] = tile[x][y];
}

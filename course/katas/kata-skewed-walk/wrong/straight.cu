// fails: gate bank_conflicts
// All lanes in one column.
extern "C" __global__ void row_sums(const float *x, float *sums, int tiles) {
    __shared__ float tile[32][32];
    int lane = threadIdx.x;
    for (int row = 0; row < 32; row++) tile[row][lane] = x[(size_t)blockIdx.x * 1024 + row * 32 + lane];
    __syncwarp();
    float sum = 0.0f;
    for (int column = 0; column < 32; column++) sum += tile[lane][column];
    sums[blockIdx.x * 32 + lane] = sum;
}

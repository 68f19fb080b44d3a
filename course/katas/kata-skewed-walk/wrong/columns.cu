// fails: result
// No conflicts: these are the sums of the columns.
extern "C" __global__ void row_sums(const float *x, float *sums, int tiles) {
    __shared__ float tile[32][32];
    int lane = threadIdx.x;
    for (int row = 0; row < 32; row++) tile[row][lane] = x[(size_t)blockIdx.x * 1024 + row * 32 + lane];
    __syncwarp();
    float sum = 0.0f;
    for (int row = 0; row < 32; row++) sum += tile[row][lane];
    sums[blockIdx.x * 32 + lane] = sum;
}

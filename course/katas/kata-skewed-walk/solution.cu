extern "C" __global__ void row_sums(const float *x, float *sums,
                                    int tiles) {
    __shared__ float tile[32][32];
    int lane = threadIdx.x;
    for (int row = 0; row < 32; row++)
        tile[row][lane] = x[(size_t)blockIdx.x * 1024 + row * 32 + lane];
    __syncwarp();
    float sum = 0.0f;
    // kz: begin
    for (int step = 0; step < 32; step++)
        sum += tile[lane][(lane + step) % 32];
    // kz: starter
    //|     for (int column = 0; column < 32; column++) sum += tile[lane][column];
    // kz: end
    sums[blockIdx.x * 32 + lane] = sum;
}

extern "C" __global__ void rows_times_32(const float *a, const float *b,
                                         float *c, int rows) {
    int lane = threadIdx.x % 32,
        warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    // kz: begin
    float column[32];
#pragma unroll
    for (int i = 0; i < 32; i++) column[i] = b[i * 32 + lane];
    for (int row = warp * 8; row < warp * 8 + 8 && row < rows; row++) {
        float mine = a[row * 32 + lane], sum = 0.0f;
#pragma unroll
        for (int i = 0; i < 32; i++)
            sum += __shfl_sync(0xffffffffu, mine, i) * column[i];
        c[row * 32 + lane] = sum;
    }
    // kz: starter
    //|     // Column `lane` of b into 32 registers; then 8 rows: load, 32 shuffles with
    //|     // a multiply-add each, store.
    //|     (void)lane, (void)warp;
    // kz: end
}

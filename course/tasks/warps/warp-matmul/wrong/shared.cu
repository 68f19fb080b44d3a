// fails: gate shared_bytes
extern "C" __global__ void rows_times_32(const float *a, const float *b, float *c, int rows) {
    int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    __shared__ float tile[32][32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i / 32][i % 32] = b[i];
    __syncthreads();
    for (int row = warp * 8; row < warp * 8 + 8 && row < rows; row++) {
        float mine = a[row * 32 + lane], sum = 0.0f;
        for (int i = 0; i < 32; i++) sum += __shfl_sync(0xffffffffu, mine, i) * tile[i][lane];
        c[row * 32 + lane] = sum;
    }
}

// fails: gate load_sectors
// Without shared memory: each lane reads along its own row.
extern "C" __global__ void row_sums(const float *x, float *sums, int tiles) {
    int lane = threadIdx.x;
    float sum = 0.0f;
    for (int step = 0; step < 32; step++) sum += x[(size_t)blockIdx.x * 1024 + lane * 32 + step];
    sums[blockIdx.x * 32 + lane] = sum;
}

// fails: shuffle
// Lanes beyond a short segment's end leave before the shuffles.
extern "C" __global__ void segment_sums(const float *x, const int *offsets, float *sums, int segments,
                                        int count) {
    int s = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (s >= segments || offsets[s] + lane >= offsets[s + 1]) return;
    float sum = 0.0f;
    for (int i = offsets[s] + lane; i < offsets[s + 1]; i += 32) sum += x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) sums[s] = sum;
}

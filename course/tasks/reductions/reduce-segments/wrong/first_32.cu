// fails: result
// One element per lane: what a segment has beyond 32 is lost.
extern "C" __global__ void segment_sums(const float *x, const int *offsets, float *sums, int segments,
                                        int count) {
    int s = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (s >= segments) return;
    int i = offsets[s] + lane;
    float sum = i < offsets[s + 1] ? x[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) sums[s] = sum;
}

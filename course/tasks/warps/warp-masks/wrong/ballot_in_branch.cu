// fails: result
// Votes where only the lanes that say yes are present: the active mask decides.
extern "C" __global__ void rank_large(const float *x, int *rank, float *total, int n, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float value = i < n ? x[i] : 0.0f;
    bool large = i < n && value > limit;
    if (i < n) rank[i] = -1;
    if (large && lane % 2) rank[i] = __popc(__ballot_sync(__activemask(), true) & ((1u << lane) - 1));
    if (large && lane % 2 == 0) rank[i] = __popc(__ballot_sync(__activemask(), true) & ((1u << lane) - 1));
    float sum = large ? value : 0.0f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0 && i < n) total[i / 32] = sum;
}

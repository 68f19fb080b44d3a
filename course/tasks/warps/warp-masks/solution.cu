extern "C" __global__ void rank_large(const float *x, int *rank,
                                      float *total, int n, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    // kz: begin
    float value = i < n ? x[i] : 0.0f;
    bool large = i < n && value > limit;
    unsigned votes = __ballot_sync(0xffffffffu, large);
    if (i < n) rank[i] = large ? __popc(votes & ((1u << lane) - 1)) : -1;
    float sum = large ? value : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0 && i < n) total[i / 32] = sum;
    // kz: starter
    //|     // A ballot while all lanes are here; the rank from its bits; a sum in
    //|     // which all lanes take part.
    //|     (void)lane;
    //|     if (i < n) rank[i] = -1;
    // kz: end
}

extern "C" __global__ void find_first(const float *x, int *first,
                                      int groups, int length, float limit) {
    int group = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
        lane = threadIdx.x % 32;
    if (group >= groups) return; // the whole warp
    // kz: begin
    int found = -1;
    for (int begin = 0; begin < length && found < 0; begin += 32) {
        int i = begin + lane;
        unsigned votes = __ballot_sync(
            0xffffffffu,
            i < length && x[(size_t)group * length + i] > limit);
        if (votes) found = begin + __ffs(votes) - 1;
    }
    if (lane == 0) first[group] = found;
    // kz: starter
    //|     // 32 at a time: a ballot, and if any bit is set, its lowest one is the
    //|     // answer.
    //|     (void)lane;
    // kz: end
}

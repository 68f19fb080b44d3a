// fails: result
// Looks whether there is work left before it draws: others may have drawn meanwhile, and none overdraws.
__device__ int row_negatives(const float *x, int from, int to) {
    int found = 0;
    for (int i = from; i < to; i += 32) {
        int at = i + threadIdx.x % 32;
        found += __popc(__ballot_sync(0xffffffffu, at < to && x[at] < 0.0f));
    }
    return found;
}

extern "C" __global__ void count_negatives(const float *x, const int *offsets, int *count, int *next,
                                           int items, int total) {
    int lane = threadIdx.x % 32;
    for (;;) {
        int row = items;
        if (lane == 0 && atomicAdd(next, 0) < items) row = atomicAdd(next, 1);
        row = __shfl_sync(0xffffffffu, row, 0);
        if (row >= items) break; // the whole warp
        int found = row_negatives(x, offsets[row], offsets[row + 1]);
        if (lane == 0) count[row] = found;
    }
}

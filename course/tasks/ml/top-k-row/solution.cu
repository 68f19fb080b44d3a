#define PER_LANE 8 // at most 256 columns

typedef struct entry {
    float value;
    int column;
} entry;

static __device__ entry better(entry a, entry b) {
    // kz: begin
    bool first =
        a.value > b.value || (a.value == b.value && a.column < b.column);
    return first ? a : b;
    // kz: starter
    //|     return a.value > b.value ? a : b; // and if they are equal?
    // kz: end
}

extern "C" __global__ void top_k(const float *x, float *values,
                                 int *columns_of, int rows, int columns,
                                 int k) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return; // the whole warp
    const float *from = &x[(size_t)row * columns];
    float mine[PER_LANE]; // -INFINITY: not there, or taken
    for (int j = 0; j < PER_LANE; j++) {
        int column = lane + 32 * j;
        mine[j] = column < columns ? from[column] : -INFINITY;
    }
    for (int round = 0; round < k; round++) {
        entry best = {mine[0], lane};
        // kz: begin
        for (int j = 1; j < PER_LANE; j++)
            best = better(best, (entry){mine[j], lane + 32 * j});
        for (int step = 16; step > 0; step /= 2) {
            entry other = {__shfl_xor_sync(0xffffffffu, best.value, step),
                           __shfl_xor_sync(0xffffffffu, best.column, step)};
            best = better(best, other);
        }
        for (int j = 0; j < PER_LANE; j++)
            if (best.column == lane + 32 * j) mine[j] = -INFINITY;
        // kz: starter
        //|         // The best of the lane, the best of the warp; then take it out.
        //|         best = better(best, (entry){mine[1], lane + 32});
        // kz: end
        if (lane == 0) {
            values[(size_t)row * k + round] = best.value;
            columns_of[(size_t)row * k + round] = best.column;
        }
    }
}

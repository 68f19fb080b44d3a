// fails: result
// Each chunk begins at 0.
static __device__ float scan(float value) {
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        float before = __shfl_up_sync(0xffffffffu, value, step);
        if (lane >= step) value += before;
    }
    return value;
}

typedef struct hit {
    int column; // the first whose cumulative sum passes
    float sum;  // that sum
} hit;

// Walks along the row to the first column with a cumulative sum above the
// target, or (at_least) no smaller than it.
static __device__ hit walk(const float *from, int columns, float target,
                           bool at_least) {
    int lane = threadIdx.x % 32;
    hit found = {columns - 1, 0.0f};
    float carry = 0.0f;
    for (int first = 0; first < columns; first += 32) {
        int i = first + lane;
        float sum = carry + scan(i < columns ? from[i] : 0.0f);
        bool passes = at_least ? sum >= target : sum > target;
        unsigned hits = __ballot_sync(0xffffffffu, passes);
        if (hits) {
            int winner = __ffs(hits) - 1;
            found.column = first + winner;
            found.sum = __shfl_sync(0xffffffffu, sum, winner);
            return found;
        }
    }
    return found;
}

extern "C" __global__ void sample(const float *weights, const float *draws,
                                  int *choices, int rows, int columns,
                                  float top) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return; // the whole warp
    const float *from = &weights[(size_t)row * columns];
    float total = 0.0f;
    for (int i = lane; i < columns; i += 32) total += from[i];
    for (int step = 16; step > 0; step /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, step);
    hit kept = walk(from, columns, top * total, true);
    hit choice = walk(from, columns, draws[row] * kept.sum, false);
    if (lane == 0) choices[row] = choice.column;
}

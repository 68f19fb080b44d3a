// The carries by a scan of (generate, propagate) over the lanes: five
// rounds of shuffles, and one more.
extern "C" __global__ void add_long(const unsigned *x, const unsigned *y,
                                    unsigned *z, int numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    if (i / 32 >= numbers) return;
    unsigned sum = x[i] + y[i];
    // bit 1: generate, bit 0: propagate
    unsigned state = (sum < x[i]) * 2u | (sum == 0xffffffffu);
    for (int step = 1; step < 32; step *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, state, step);
        if (lane >= step) state = (state & 2) | ((state & 1) ? below : 0);
    }
    unsigned below = __shfl_up_sync(0xffffffffu, state, 1);
    z[i] = sum + (lane > 0 ? below >> 1 : 0);
}

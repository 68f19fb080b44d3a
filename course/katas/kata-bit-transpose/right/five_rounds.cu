// Halves of 16 bits change places between lanes 16 apart, then of 8, 4, 2,
// 1.
extern "C" __global__ void transpose_bits(const unsigned *x, unsigned *y,
                                          int matrices) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    if (i / 32 >= matrices) return;
    unsigned row = x[i], low = 0x0000ffffu;
    for (int step = 16; step > 0; step /= 2, low ^= low << step) {
        unsigned other = __shfl_xor_sync(0xffffffffu, row, step);
        row = lane & step ? (row & ~low) | (other & ~low) >> step
                          : (row & low) | (other & low) << step;
    }
    y[i] = row;
}

// fails: gate stores
// Right, with 32 stores of one word each.
extern "C" __global__ void transpose_bits(const unsigned *x, unsigned *y, int matrices) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i / 32 >= matrices) return; // the whole warp
    unsigned row = x[i];
    unsigned kept = 0;
    for (int c = 0; c < 32; c++) {
        unsigned column = __ballot_sync(0xffffffffu, row >> c & 1);
        if (lane == c) y[i] = column;
    }
    (void)kept;
}

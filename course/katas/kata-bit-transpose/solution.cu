extern "C" __global__ void transpose_bits(const unsigned *x, unsigned *y,
                                          int matrices) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i / 32 >= matrices) return; // the whole warp
    unsigned row = x[i];
    // kz: begin
    unsigned kept = 0;
    for (int c = 0; c < 32; c++) {
        unsigned column = __ballot_sync(0xffffffffu, row >> c & 1);
        if (lane == c) kept = column;
    }
    y[i] = kept;
    // kz: starter
    //|     (void)lane;
    //|     y[i] = row; // collect the columns
    // kz: end
}

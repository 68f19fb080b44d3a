extern "C" __global__ void add_long(const unsigned *x, const unsigned *y,
                                    unsigned *z, int numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i / 32 >= numbers) return; // the whole warp
    unsigned sum = x[i] + y[i];
    // kz: begin
    unsigned generate = __ballot_sync(0xffffffffu, sum < x[i]);
    unsigned propagate = __ballot_sync(0xffffffffu, sum == 0xffffffffu);
    // 1 + 1 where a carry begins, 1 + 0 where it goes on: what the sum
    // differs in is what came in.
    unsigned carries = ((generate | propagate) + generate) ^ propagate;
    z[i] = sum + (carries >> lane & 1);
    // kz: starter
    //|     (void)lane;
    //|     z[i] = sum; // and the carries?
    // kz: end
}

// Lanes read others that are not in the mask.
// launch: grid 1 block 32
// arg: in s32[32] = 1 2 3
// arg: out s32[32] = 0
// expect finding: undefined-output from a lane that took no part
// expect finding: shuffle-outside undefined
// expect finding: undefined-output
extern "C" __global__ void shuffle_outside(const int *in, int *out) {
    int t = threadIdx.x, value = in[t];
    if (t < 16) value += __shfl_down_sync(0x0000ffffu, value, 8);
    out[t] = value;
}

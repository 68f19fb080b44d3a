// Lanes read others that are not in the mask.
// launch: grid 1 block 32
// arg: in s32[32] = 1 2 3
// arg: out s32[32] = 0
// expect finding: shuffle-outside lane 8 reads lane 16, which is not in the mask: what it gets is undefined, and it is stored
extern "C" __global__ void shuffle_outside(const int *in, int *out) {
    int t = threadIdx.x, value = in[t];
    if (t < 16) value += __shfl_down_sync(0x0000ffffu, value, 8);
    out[t] = value;
}

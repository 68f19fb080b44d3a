// The twin of shuffle_outside: the segment is as wide as the mask.
// launch: grid 1 block 32
// arg: in s32[32] = 1 2 3
// arg: out s32[32] = 0
extern "C" __global__ void clean_shuffle(const int *in, int *out) {
    int t = threadIdx.x, value = in[t];
    if (t < 16) value += __shfl_down_sync(0x0000ffffu, value, 8, 16);
    out[t] = value;
}

// Lanes that have returned early may be named: a GPU does not wait for them.
// launch: grid 1 block 32
// arg: in s32[32] = 1
// arg: out s32[24] = 0
// expect: out = 2 2 2
// seeds: 4
extern "C" __global__ void clean_mask_left(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t >= 24) return;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[t] + s[23 - t];
    if (__any_sync(0xffffffffu, out[t] != 2)) out[t] = 0;
}

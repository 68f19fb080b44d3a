// A shuffle may read lanes outside its mask where nobody uses what comes from them.
// launch: grid 1 block 32
// arg: in s32[32] = 1
// arg: out s32[1] = 0
// expect: out = 20
// seeds: 2
extern "C" __global__ void clean_shuffle_unused(const int *in, int *out) {
    int t = threadIdx.x, n = 20;
    unsigned mask = __ballot_sync(0xffffffffu, t < n);
    if (t >= n) return;
    int v = in[t];
    for (int step = 16; step; step /= 2) {
        int other = __shfl_down_sync(mask, v, step);
        if (t + step < n) v += other;
    }
    if (t == 0) *out = v;
}

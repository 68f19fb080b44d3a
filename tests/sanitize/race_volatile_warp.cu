// The last warp of an old reduction: volatile, and nothing that makes its lanes run in step.
// launch: grid 1 block 32
// arg: in s32[64] = 1
// arg: out s32[1] = 0
// expect finding: race volatile
// seeds: 2
extern "C" __global__ void race_volatile_warp(const int *in, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t] + in[t + 32];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2)
        if (t < step) s[t] += s[t + step];
    if (t == 0) *out = s[0];
}

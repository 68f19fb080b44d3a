// A ballot makes the lanes wait for each other, but orders no memory.
// launch: grid 1 block 32
// arg: out s32[32] = 0
// expect finding: race two lanes of one warp
// seeds: 2
extern "C" __global__ void race_vote_between(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    unsigned odd = __ballot_sync(0xffffffffu, t & 1);
    out[t] = s[31 - t] + (odd == 0);
}

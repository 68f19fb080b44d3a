// A warp that has ended is not asked for at a barrier that counts its threads: nothing orders its stores.
// launch: grid 1 block 64
// arg: out s32[32] = 0
// expect finding: race two warps of one block
extern "C" __global__ void race_ended_warp(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = t;
        return;
    }
    asm volatile("bar.sync 2, 32;" ::: "memory");
    out[t - 32] = s[63 - t];
}

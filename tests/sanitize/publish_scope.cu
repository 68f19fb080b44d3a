// Released to another block at the scope of the block.
// launch: grid 2 block 32
// arg: data s32[32] = 0
// arg: flag u32[1] = 0
// arg: out s32[32] = 0
// expect finding: race-publication released for the block only
// expect finding: race
// seeds: 2
extern "C" __global__ void publish_scope(int *data, unsigned *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncwarp();
        if (t == 0) asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory");
        return;
    }
    unsigned seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (!seen);
    out[t] = data[31 - t];
}

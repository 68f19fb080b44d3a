// The consumer says that the box is free before it has read it.
// launch: grid 1 block 96
// arg: in s32[64] = 1 2 3
// arg: out s32[64] = 0
// expect finding: race two warps
// seeds: 3
extern "C" __global__ void race_named_barriers(const int *in, int *out) {
    __shared__ int box[32];
    int t = threadIdx.x, lane = t % 32;
    if (t < 32) {
        for (int round = 0; round < 2; round++) {
            box[lane] = in[round * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        }
    } else if (t < 64) {
        for (int round = 0; round < 2; round++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            out[round * 32 + lane] = box[31 - lane];
        }
    }
}

// Takes the lanes of a warp to run in step.
// launch: grid 1 block 64
// arg: in s32[64] = 1
// arg: out s32[2] = 0
// expect finding: race two lanes of one warp
// seeds: 2
extern "C" __global__ void race_warp_step(const int *in, int *out) {
    __shared__ int sum[64];
    int t = threadIdx.x, lane = t % 32;
    int *mine = sum + (t - lane);
    mine[lane] = in[t];

    for (int step = 16; step > 0; step /= 2) {
        int other = lane < step ? mine[lane + step] : 0;

        if (lane < step) mine[lane] += other;
    }
    if (lane == 0) out[t / 32] = mine[0];
}

// The twin of race_warp_step: lanes meet between the steps.
// launch: grid 1 block 64
// arg: in s32[64] = 1
// arg: out s32[2] = 0
// seeds: 2
extern "C" __global__ void clean_warp_step(const int *in, int *out) {
    __shared__ int sum[64];
    int t = threadIdx.x, lane = t % 32;
    int *mine = sum + (t - lane);
    mine[lane] = in[t];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        int other = lane < step ? mine[lane + step] : 0;
        __syncwarp();
        if (lane < step) mine[lane] += other;
        __syncwarp();
    }
    if (lane == 0) out[t / 32] = mine[0];
}

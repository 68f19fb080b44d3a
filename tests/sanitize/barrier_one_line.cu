// Two barriers on one line are two barriers.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: barrier-divergent lanes of one warp wait at different barriers
// seeds: 2
extern "C" __global__ void barrier_one_line(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    // clang-format off
    if (t & 1) __syncthreads(); else __syncthreads();
    // clang-format on
    out[t] = s[63 - t];
}

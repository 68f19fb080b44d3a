// Lanes of one warp come to different barriers.
// launch: grid 1 block 32
// arg: out s32[32] = 0
// expect finding: barrier-divergent different barriers
extern "C" __global__ void barrier_both_branches(int *out) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}

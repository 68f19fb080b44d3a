// Some threads go past the barrier and on.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: barrier-divergent went past the barrier
// seeds: 3
extern "C" __global__ void barrier_skipped(int *out) {
    out[threadIdx.x] = 1;
    if (threadIdx.x < 40) __syncthreads();
    out[threadIdx.x] += 2;
}

// A barrier in a branch of a loop: lanes of the same warp go round it, and on to the end.
// launch: grid 1 block 64
// arg: out s32[1] = 2016
// expect finding: barrier-divergent went another way round the barrier
// seeds: 3
extern "C" __global__ void barrier_diverged(int *out) {
    __shared__ int tree[64];
    int t = threadIdx.x;
    tree[t] = t;
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < 64; step *= 2)
        if (t % (2 * step) == 0) {
            tree[t] += tree[t + step];
            __syncthreads();
        }
    if (t == 0) out[0] = tree[0];
}

// Threads that have nothing to do leave before the barrier.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// seeds: 3
extern "C" __global__ void clean_early_return(int *out) {
    __shared__ int kept[64];
    int t = threadIdx.x;
    if (t >= 40) return;
    kept[t] = t;
    __syncthreads();
    out[t] = kept[39 - t];
}

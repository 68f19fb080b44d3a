// Atomics on one side, ordinary reads on the other, and no barrier between.
// launch: grid 1 block 128
// arg: in s32[128] = 1 2 3
// arg: out s32[128] = 0
// expect finding: race an atomic on one side alone
// seeds: 2
extern "C" __global__ void race_atomic_plain(const int *in, int *out) {
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, in[t]);
    out[t] = count;
}

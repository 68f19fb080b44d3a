// The twin of race_atomic_plain: a barrier between the atomics and the reads.
// launch: grid 1 block 128
// arg: in s32[128] = 1 2 3
// arg: out s32[128] = 0
// seeds: 2
extern "C" __global__ void clean_atomic_plain(const int *in, int *out) {
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, in[t]);
    __syncthreads();
    out[t] = count;
}

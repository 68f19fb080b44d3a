// The twin of clean_barrier_red: a vote within the warp waits for no other warp, whose reads may not be done.
// launch: grid 2 block 128
// arg: in s32[256] = 1
// arg: out s32[256] = 0
// expect finding: race "space":"shared"
// seeds: 3
extern "C" __global__ void race_barrier_red(const int *in, int *out) {
    __shared__ int box[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    box[t] = in[i];
    int count = __syncthreads_count(in[i] > 0);
    int sum = box[127 - t] + count;
    int every = __all_sync(0xffffffffu, sum > 0);
    box[t] = sum + every;
    out[i] = __syncthreads_or(t == 5) + box[127 - t];
}

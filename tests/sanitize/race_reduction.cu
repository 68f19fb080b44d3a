// A tree in shared memory without the barrier between its steps.
// launch: grid 2 block 128
// arg: in s32[256] = 1
// arg: out s32[2] = 0
// expect finding: race "space":"shared"
// seeds: 2
extern "C" __global__ void race_reduction(const int *in, int *out) {
    __shared__ int sum[128];
    int t = threadIdx.x;
    sum[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) sum[t] += sum[t + step];
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

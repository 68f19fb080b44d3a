// Fences by all, a barrier, a flag by one thread: hardware orders it, PTX does not say so.
// launch: grid 2 block 64
// arg: data s32[64] = 0
// arg: flag s32[1] = 0
// arg: out s32[64] = 0
// expect finding: race-publication "severity":"warning"
// expect finding: race-publication between the barrier and its write of the flag
// seeds: 2
extern "C" __global__ void publish_barrier(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __threadfence();
        __syncthreads();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0) {
            while (*flag == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[t] = data[63 - t];
    }
}

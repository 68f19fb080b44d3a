// Warps leave a loop with a barrier after different numbers of rounds.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: barrier-mismatch different __syncthreads()
extern "C" __global__ void barrier_other_line(int *out) {
    int rounds = threadIdx.x < 32 ? 2 : 3;
    for (int i = 0; i < rounds; i++) {
        out[threadIdx.x] += i;
        __syncthreads();
    }
    out[threadIdx.x] += 1;
    if (threadIdx.x < 32) __syncthreads();
    out[threadIdx.x] += 1;
}

// Released, but never acquired: hardware does what is meant, so it is a warning.
// launch: grid 4 block 64
// arg: part s32[4] = 0
// arg: ticket u32[1] = 0
// arg: out s32[1] = 0
// expect finding: race-publication no fence follows the atomic that takes the ticket
// seeds: 2
extern "C" __global__ void publish_no_acquire(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < 4) atomicAdd(out, part[threadIdx.x]);
}

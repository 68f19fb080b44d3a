// The twin of publish_last_block: fences on both sides of the ticket. The last block resets the ticket, which
// its atomic has ordered behind those of the others; so it does a ticket that nothing else hangs on.
// launch: grid 4 block 64
// arg: part s32[4] = 0
// arg: ticket u32[1] = 0
// arg: out s32[1] = 0
// arg: other u32[1] = 0
// seeds: 2
extern "C" __global__ void clean_last_block(int *part, unsigned *ticket, int *out, unsigned *other) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < 4) atomicAdd(out, part[threadIdx.x]);
    if (last && threadIdx.x == 0) *ticket = 0;
    if (threadIdx.x == 32 && atomicAdd(other, 1) == gridDim.x - 1) *other = 0;
}

// Decoupled look-back: every block waits for the one before it, and ids come from a ticket.
// launch: grid 300 block 64
// arg: ticket u32[1] = 0
// arg: state u32[300] = 0
// arg: out u32[300] = 0
// expect: out = 1 2 3 4 5 6 7 8
// expect: ticket = 300
extern "C" __global__ void look_back(unsigned *ticket, volatile unsigned *state, unsigned *out) {
    __shared__ unsigned id;
    if (threadIdx.x == 0) id = atomicAdd(ticket, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before = 0;
        if (id > 0)
            while ((before = state[id - 1]) == 0) {}
        __threadfence();
        state[id] = before + 1;
        out[id] = before + 1;
    }
}

// Chains of atomics, and what ends them: barriers in shared memory, plain reads and writes by whoever is ordered
// after the last of the chain; words of 8 bytes; fences, after which the same words release something.
// launch: grid 3 block 64
// arg: sums u64[4] = 0
// arg: out u32[3] = 0
// arg: tickets u32[2] = 0
// expect: out = 64 64 64
__global__ void clean_chains(unsigned long long *sums, unsigned *out, unsigned *tickets) {
    __shared__ unsigned bins[8], last;
    unsigned t = threadIdx.x, b = blockIdx.x;
    for (int round = 0; round < 3; round++) {
        if (t < 8) bins[t] = 0; // plain again, after the chain of the last round
        __syncthreads();
        atomicAdd(&bins[t % 8], 1);
        if (t % 16 == 3) atomicMax(&bins[t % 8], 1);
        __syncthreads();
    }
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) sum += bins[i];
    atomicAdd(&sums[t % 2], 1ull); // of all blocks, read by nobody but the last
    __syncthreads();
    if (t == 0) {
        __threadfence();
        last = atomicAdd(&tickets[0], 1) == gridDim.x - 1;
        if (atomicAdd(&tickets[1], 1) == gridDim.x - 1) tickets[1] = 0; // the last resets it: it has seen all
        if (last) __threadfence();
        if (last && sums[0] + sums[1] != 3 * 64) sum = 0;
        out[b] = sum;
    }
}

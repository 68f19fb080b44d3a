// Many blocks count by atomics; one reads the count as if it were its own. Only the last of a chain is remembered:
// that is enough to see it, and to see a second reader after the first.
// launch: grid 4 block 32
// arg: count u32[1] = 0
// arg: out u32[2] = 0
// expect finding: race an atomic on one side alone
// seeds: 2
extern "C" __global__ void race_chain_read(unsigned *count, unsigned *out) {
    if (blockIdx.x < 3)
        atomicAdd(count, 1);
    else if (threadIdx.x == 0)
        out[0] = *count;
}

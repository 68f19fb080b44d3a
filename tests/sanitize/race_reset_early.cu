// A block that is not the last resets the counter: those who count after it are not ordered.
// launch: grid 4 block 32
// arg: count u32[1] = 0
// expect finding: race an atomic on one side alone
// seeds: 2
extern "C" __global__ void race_reset_early(unsigned *count) {
    if (threadIdx.x == 0 && atomicAdd(count, 1) == 1) *count = 0;
}

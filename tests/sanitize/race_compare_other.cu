// A plain read of what others change by atomics; it is compared with, but elsewhere, so that it is no mere guess.
// launch: grid 1 block 64
// arg: total s32[1] = 0
// arg: best s32[1] = 0
// expect finding: race an atomic on one side alone
// seeds: 2
extern "C" __global__ void race_compare_other(int *total, int *best) {
    atomicAdd(total, 1);
    int old = *total;
    atomicCAS(best, old, old + 1);
}

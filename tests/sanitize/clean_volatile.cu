// Volatile accesses that are right: a word that is polled and given back, a flag that is tested, and a counter that
// everybody has read before the last one writes it.
// launch: grid 4 block 32
// arg: turn s32[1] = 0
// arg: stop s32[1] = 0
// arg: epoch s32[1] = 0
// arg: ended u32[1] = 0
// arg: out s32[4] = 0
// expect: out = 1 1 1 1
// expect: turn = 4
// seeds: 4
extern "C" __global__ void clean_volatile(volatile int *turn, volatile int *stop, volatile int *epoch,
                                          unsigned *ended, int *out) {
    if (threadIdx.x) return;
    int mine = *epoch + 1;
    while (*turn != (int)blockIdx.x) {}
    *turn = blockIdx.x + 1;
    out[blockIdx.x] = mine;
    if (*stop == 0 && blockIdx.x % 2) *stop = 1;
    if (atomicInc(ended, gridDim.x - 1) == gridDim.x - 1) *epoch = mine;
}

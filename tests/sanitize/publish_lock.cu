// A lock whose holders do not see each other's work.
// launch: grid 4 block 32
// arg: lock u32[1] = 0
// arg: count s32[1] = 0
// expect finding: race-publication
// seeds: 2
extern "C" __global__ void publish_lock(unsigned *lock, int *count) {
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1)) {}
    *count = *count + 1;
    atomicExch(lock, 0);
}

// The twin of publish_lock: fences inside the lock.
// launch: grid 4 block 32
// arg: lock u32[1] = 0
// arg: count s32[1] = 0
// expect: count = 4
// seeds: 2
extern "C" __global__ void clean_lock(unsigned *lock, int *count) {
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

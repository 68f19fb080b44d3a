// The holder of a lock waits for lanes of its warp that wait for the lock.
// launch: grid 1 block 32
// arg: lock u32[1] = 0
// arg: count s32[1] = 0
// expect finding: deadlock of their member mask
extern "C" __global__ void lock_across_syncwarp(unsigned *lock, int *count) {
    for (bool done = false; !done;) {
        if (atomicExch(lock, 1)) continue;
        __threadfence();
        __syncwarp();
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
    }
}

// A lock that lanes of one warp want: the section inside the loop, and behind it.
// launch: grid 2 block 64
// arg: lock u32[2] = 0
// arg: count s32[2] = 0
// expect: count = 128 128
// seeds: 2
extern "C" __global__ void clean_lock_lanes(unsigned *lock, int *count) {
    for (bool done = false; !done;) {
        if (atomicExch(&lock[0], 1)) continue;
        __threadfence();
        count[0] = count[0] + 1;
        __threadfence();
        atomicExch(&lock[0], 0);
        done = true;
    }
    while (atomicExch(&lock[1], 1)) {}
    __threadfence();
    count[1] = count[1] + 1;
    __threadfence();
    atomicExch(&lock[1], 0);
}

// A spin lock that lanes of one warp contend for: needs independent thread scheduling.
// launch: grid 3 block 64
// arg: lock u32[1] = 0
// arg: count u32[1] = 0
// expect: count = 192
// expect: lock = 0
extern "C" __global__ void warp_lock(unsigned *lock, volatile unsigned *count) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

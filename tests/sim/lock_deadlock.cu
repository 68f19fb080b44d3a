// A lock that is never given back: nothing can change any more.
// launch: grid 3 block 32
// arg: lock u32[1] = 0
// expect fault: deadlock in kernel stuck
// expect fault: go round in a loop
extern "C" __global__ void stuck(unsigned *lock) {
    if (threadIdx.x == 0)
        while (atomicCAS(lock, 0, 1) != 0) {}
}

// A barrier that one warp never reaches because it waits for another one.
// launch: block 64
// arg: out s32[1] = 0
// expect fault: deadlock in kernel stuck
// expect fault: wait at barrier
// expect fault: barrier_deadlock.cu
extern "C" __global__ void stuck(int *out) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 2, 64;");
    *out = 1;
}

// Named barriers: a count is of whole warps, also of those that are not full or have lost threads; a count of the whole
// block is no count.
// launch: grid 1 block 112
// arg: out s32[4] = 0
// expect: out = 7 9 11 13
extern "C" __global__ void counts(volatile int *out) {
    int t = threadIdx.x;
    if (t == 70) return;
    asm volatile("bar.sync 1, 128;"); // all: the last warp has 16 threads, one of another has left
    if (t == 0) out[0] = 7;
    if (t < 64) asm volatile("bar.sync 2;");
    else asm volatile("bar.sync 2, 128;");
    if (t == 0) out[1] = 9;
    if (t >= 64) { // two warps: 31 of 32, and 16 of 32
        asm volatile("bar.sync 3, 64;");
        if (t == 64) out[2] = 11;
        if (t == 111) return;
        asm volatile("bar.sync 4, 64;");
        if (t == 64) out[3] = 13;
    }
}

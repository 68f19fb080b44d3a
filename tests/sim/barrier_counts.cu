// A barrier's count is of whole warps, also of one that is not full (PTX, "bar": the arrival count grows by
// the warp size, not by the threads that are active).
// launch: grid 1 block 112
// arg: out s32[2] = 0
// expect: out = 11 13
extern "C" __global__ void counts(volatile int *out) {
    int t = threadIdx.x;
    if (t >= 64) { // two warps: 32 threads and 16
        asm volatile("bar.sync 3, 64;");
        if (t == 64) out[0] = 11;
        asm volatile("bar.sync 3, 64;");
        if (t == 64) out[1] = 13;
    }
}

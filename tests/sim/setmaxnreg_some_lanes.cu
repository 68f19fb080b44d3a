// The whole warp executes setmaxnreg: lanes that are elsewhere are waited for, and if they return there is an error.
// kz: sm 90a
// launch: block 128
// arg: out u32[128] = 0
// expect fault: setmaxnreg with 31 of 32 threads
extern "C" __global__ void __launch_bounds__(128, 1) registers(volatile unsigned *out) {
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < 100; i++) out[threadIdx.x] = i;
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory"); // lane 0 comes late
    if (threadIdx.x == 0) return;
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory"); // and here never
    out[threadIdx.x] = 1;
}

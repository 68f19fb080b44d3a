// All warps of a warpgroup ask for the same number of registers; here two ask for another.
// kz: sm 90a
// launch: block 128
// arg: out u32[128] = 0
// expect fault: setmaxnreg of
// expect fault: registers, and warp
extern "C" __global__ void __launch_bounds__(128, 1) registers(unsigned *out) {
    if (threadIdx.x < 64)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory");
    out[threadIdx.x] = 1;
}

// All warps of a warpgroup execute setmaxnreg; here one does.
// kz: sm 90a
// launch: block 256
// arg: out u32[256] = 0
// expect fault: setmaxnreg by warp 4, and warp
// expect fault: of its warpgroup has ended without it
extern "C" __global__ void __launch_bounds__(256, 1) registers(unsigned *out) {
    if (threadIdx.x < 128) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    if (threadIdx.x / 32 == 4) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
    out[threadIdx.x] = 1;
}

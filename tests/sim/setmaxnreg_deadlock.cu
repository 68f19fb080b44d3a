// Nobody gives the registers that the first warpgroup waits for.
// kz: sm 90a
// launch: block 256
// arg: out u32[1] = 0
// expect fault: wait for registers: setmaxnreg.inc
extern "C" __global__ void __launch_bounds__(256, 1) registers(unsigned *out) {
    if (threadIdx.x < 128) asm volatile("setmaxnreg.inc.sync.aligned.u32 256;" ::: "memory");
    out[0] = 1;
}

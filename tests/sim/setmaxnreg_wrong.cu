// More registers than the thread has cannot be given away.
// kz: sm 90a
// launch: block 384
// arg: out u32[1] = 0
// expect fault: setmaxnreg.dec to 232 registers, and the thread has 168
extern "C" __global__ void __launch_bounds__(384, 1) registers(unsigned *out) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 232;" ::: "memory");
    out[0] = 1;
}

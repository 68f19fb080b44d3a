// A kernel of 256 threads, one block to a multiprocessor, begins with 248 registers a thread. One warpgroup gives 208 of them away, and
// the other takes 8 more, before and after: it waits until they are there.
// kz: sm 90a
// launch: block 256
// arg: out u32[2] = 0
// expect: out = 1 1
extern "C" __global__ void __launch_bounds__(256, 1) registers(unsigned *out) {
    __shared__ unsigned given;
    if (threadIdx.x == 0) given = 0;
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 256;" ::: "memory");
        if (threadIdx.x == 0) out[0] = *(volatile unsigned *)&given; // the other group came first
    } else {
        *(volatile unsigned *)&given = 1;
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
        if (threadIdx.x == 128) out[1] = 1;
    }
}

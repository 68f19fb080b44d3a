// kz: sm 90
// An mbarrier is used by threads that nothing tells of its initialisation.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: race does not know that another one has made it
extern "C" __global__ void race_mbarrier_init(int *out) {
    __shared__ unsigned long long all;
    unsigned at = (unsigned)__cvta_generic_to_shared(&all), done = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncwarp();
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[threadIdx.x] = 1;
}

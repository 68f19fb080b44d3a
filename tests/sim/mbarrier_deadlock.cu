// kz: sm 90
// launch: grid 1 block 64
// arg: out s32[1] = 0
// expect fault: deadlock
// expect fault: wait for the mbarrier at shared offset 0x0, phase 0: 1 of 65 arrivals and 128 bytes
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void mbarrier_deadlock(int *out) {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 65); // nobody is the 65th
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 128);
    uint64_t state = ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait(&bar, state)) {}
    out[0] = 1;
}

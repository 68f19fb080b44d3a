// kz: sm 90
// launch: grid 1 block 32
// arg: out s32[1] = 0
// expect fault: the mbarrier at shared offset 0x40 was overwritten
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void mbarrier_overwritten(int *out, int n) {
    __shared__ struct {
        int tile[16];
        uint64_t bar;
    } s;
    if (threadIdx.x == 0) ptx::mbarrier_init(&s.bar, 32);
    __syncthreads();
    ((volatile int *)s.tile)[threadIdx.x % 17] = (int)threadIdx.x; // one past the end
    __syncthreads();
    ptx::mbarrier_arrive(&s.bar);
    out[0] = s.tile[3];
}
// arg: n s32 = 1

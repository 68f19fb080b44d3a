// kz: sm 90
// launch: grid 1 block 1
// arg: in s32[64] = 7
// expect fault: the transaction count of the mbarrier at shared offset
// expect fault: would become 1048576, outside -1048575 to 1048575
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void bulk_too_many_bytes(int *in) {
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    for (int i = 0; i < 4; i++)
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 524288);
    in[0] = 1;
}

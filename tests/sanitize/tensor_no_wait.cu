// A box is read before its mbarrier says that it is there: only by the thread of its last word.
// kz: sm 90
// launch: grid 1 block 64
// arg: map tensor = x s32 dims 8,8 strides 32 box 8,8
// arg: x s32[64] = 1
// arg: out s32[64] = 0
// expect finding: async-no-wait no wait
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_no_wait(const __grid_constant__ CUtensorMap map, const int *x, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
    }
    __syncthreads();
    if (threadIdx.x == 63) out[63] = tile[63];
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x < 63) out[threadIdx.x] = tile[threadIdx.x];
}

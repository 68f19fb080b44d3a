// A tensor whose rows were never written: what a box brings of it is undefined, what is filled is not.
// kz: sm 90
// launch: grid 1 block 64
// arg: map tensor = x s32 dims 8,4 strides 32 box 8,8
// arg: x s32[32] = scratch
// arg: out s32[64] = 0
// expect finding: undefined-branch byte 96
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_undefined(const __grid_constant__ CUtensorMap map, int *x, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t bar;
    if (threadIdx.x < 31) x[threadIdx.x] = 1; // all but the last
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (tile[threadIdx.x] > 0) out[threadIdx.x] = 1;
}

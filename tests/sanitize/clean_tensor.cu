// Loads, stores and reductions by tensor maps, swizzled and past the edge, each waited for.
// kz: sm 90
// launch: grid 2 block 64
// arg: from tensor = x s32 dims 40,24 strides 160 box 32,12 swizzle 128
// arg: to tensor = y s32 dims 40,24 strides 160 box 32,12 swizzle 128
// arg: x s32[960] = 1 2 3
// arg: y s32[960] = 0
// seeds: 2
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void clean_tensor(const __grid_constant__ CUtensorMap from,
                                        const __grid_constant__ CUtensorMap to, const int *x, int *y) {
    __shared__ alignas(1024) int tile[12 * 32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        const int at[] = {32 * i, 12 * (int)blockIdx.x};
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                           sizeof tile);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &bar);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, i)) {}
        for (int k = threadIdx.x; k < 12 * 32; k += 64) tile[k]++;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, at,
                                             tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

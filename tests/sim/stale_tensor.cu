// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 12,8 strides 48 box 8,4
// arg: x u32[96] = 1
// arg: out u32[2] = 0
// expect: out = 9 1

// What a tensor copy brings is there when its mbarrier says so, not before; a look that fails is tried again.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void stale_tensor(const __grid_constant__ CUtensorMap map, const unsigned *x,
                                        unsigned *out) {
    __shared__ alignas(128) unsigned tile[32];
    __shared__ uint64_t bar;
    tile[threadIdx.x] = 9;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
        out[0] = *(volatile unsigned *)&tile[0];
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x == 0) out[1] = tile[0];
}

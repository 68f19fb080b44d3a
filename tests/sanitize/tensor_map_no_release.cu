// A map is changed in global memory and acquired, but the thread that changed it does not release it.
// kz: sm 90a
// launch: grid 1 block 32
// arg: map tensor = x s32 dims 8,4 strides 32 box 8,1
// arg: x s32[64] = 1 2 3
// arg: place u32[32] = 0
// arg: out s32[16] = 0
// expect finding: async-no-wait no release fence for maps between
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_map_no_release(const __grid_constant__ CUtensorMap map, const int *x,
                                                 CUtensorMap *place, int *out) {
    __shared__ alignas(128) int tile[8];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        *place = map;
        ptx::tensormap_replace_global_address(ptx::space_global, place, (int64_t)(x + 32));
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, place, ptx::n32_t<128>());
        ptx::fence_proxy_async(ptx::space_shared);
        const int at[] = {0, 1};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, place, at, &bar);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x < 8) out[threadIdx.x] = tile[threadIdx.x];
}

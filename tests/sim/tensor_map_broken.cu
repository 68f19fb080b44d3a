// kz: sm 90a
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 12,8 strides 48 box 8,4
// arg: x u32[96] = 1
// arg: place u32[64] = 0
// expect fault: the tensor map breaks a rule
// expect fault: a row of the box, in bytes, is 12: boxDim[0] times

// tensormap.replace sets a box of 3 words, which no copy can take.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_map_broken(const __grid_constant__ CUtensorMap map, const unsigned *x,
                                             CUtensorMap *place) {
    __shared__ alignas(128) unsigned tile[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        *place = map;
        ptx::tensormap_replace_box_dim(ptx::space_global, place, ptx::n32_t<0>(), 3);
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, place, ptx::n32_t<128>());
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 48);
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, place, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}

// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x f16 dims 64,8 strides 128 box 16,4
// arg: x u16[512] = 1
// expect fault: a tensor copy at coordinate -1 of dimension 0, which is byte -2 of a row
// expect fault: it must be a multiple of 16 bytes, here of 8 elements of f16
// expect fault: likely cause: a halo

// Boxes begin at a multiple of 16 bytes, though what lies outside is filled.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_unaligned(const __grid_constant__ CUtensorMap map,
                                            const unsigned short *x) {
    __shared__ alignas(128) unsigned short tile[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128);
        const int at[] = {-1, -1};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &bar);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}

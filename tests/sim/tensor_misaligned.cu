// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 12,8 strides 48 box 8,4
// arg: x u32[96] = 1
// expect fault: in shared memory: it must be a multiple of 128
// expect fault: what to do: declare it with alignas(128)
// expect fault: cp.async.bulk.tensor.2d

// A box begins at a multiple of 128 in shared memory.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_misaligned(const __grid_constant__ CUtensorMap map, const unsigned *x) {
    __shared__ alignas(128) unsigned tile[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128);
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + 4, &map, at, &bar);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}

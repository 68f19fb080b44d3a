// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 16,6 strides 64 box 4,6 swizzle 64
// arg: back tensor = y u32 dims 16,6 strides 64 box 4,6 swizzle 64
// arg: x u32[96] = 0
// arg: tile u32[96] = 0
// arg: y u32[96] = 0
// expect: tile = 5 6 7 8 9 9 9 9 9 9 9 9 9 9 9 9 21 22 23 24 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 37 38 39 40 9 9 9 9 9 9 9 9 9 9 9 9 53 54 55 56 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 69 70 71 72 9 9 9 9 9 9 9 9 9 9 9 9 85 86 87 88 9 9 9 9
// expect: y = 0 0 0 0 5 6 7 8 0 0 0 0 0 0 0 0 0 0 0 0 21 22 23 24 0 0 0 0 0 0 0 0 0 0 0 0 37 38 39 40 0 0 0 0 0 0 0 0 0 0 0 0 53 54 55 56 0 0 0 0 0 0 0 0 0 0 0 0 69 70 71 72 0 0 0 0 0 0 0 0 0 0 0 0 85 86 87 88 0

// Rows that are narrower than the swizzle lie as far apart as it is wide, and what lies between stays as it was. The
// mbarrier counts the rows alone. A store reads them so.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_narrow(const __grid_constant__ CUtensorMap map,
                                         const __grid_constant__ CUtensorMap back, unsigned *x,
                                         unsigned *tile, unsigned *y) {
    __shared__ alignas(1024) unsigned box[96];
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < 96; i += 32) x[i] = i + 1, box[i] = 9;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    const int at[] = {4, 0};
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 6 * 16);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    for (unsigned i = threadIdx.x; i < 96; i += 32) tile[i] = box[i];
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &back, at, box);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

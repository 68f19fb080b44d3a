// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 4,4,3,2 strides 16,64,192 im2col lower -1,-1 upper -1,-1 channels 4 pixels 24
// arg: far tensor = x u32 dims 4,4,3,2 strides 16,64,192 im2col lower -1,-1 upper -1,-1 channels 4 pixels 24 steps 1,2,2,1
// arg: back tensor = y u32 dims 4,4,3,2 strides 16,64,192 im2col upper -1,-1 channels 4 pixels 5
// arg: x u32[96] = 0
// arg: first u32[24] = 99
// arg: second u32[24] = 99
// arg: y u32[96] = 0
// expect: first = 2 3 4 0 6 7 8 0 10 11 12 0 14 15 16 0 18 19 20 0 22 23 24 0
// expect: second = 0 0 0 6 0 0 0 18 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// expect: y = 0 0 0 0 0 0 0 0 2 2 2 2 0 0 0 0 3 3 3 3 4 4 4 4 5 5 5 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 6 6 6 6 0

// A 3x3 filter with padding 1 over two images of 4x3 pixels of 4 channels: the pixels under one of its positions, and
// under a stride of 2. im2col stores go over the pixels of their bounding box alike.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ void load(void *to, const CUtensorMap *map, uint64_t *bar, unsigned short ow, unsigned short oh) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3, "
                 "%4, %5}], [%6], {%7, %8};" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(map), "r"(0), "r"(-1), "r"(-1), "r"(0), "r"((unsigned)__cvta_generic_to_shared(bar)),
                 "h"(ow), "h"(oh)
                 : "memory");
}

extern "C" __global__ void tensor_im2col(const __grid_constant__ CUtensorMap map,
                                         const __grid_constant__ CUtensorMap far,
                                         const __grid_constant__ CUtensorMap back, unsigned *x,
                                         unsigned *first, unsigned *second, unsigned *y) {
    __shared__ alignas(128) unsigned tile[2][128];
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < 96; i += 32) x[i] = i / 4 + 1; // pixel i / 4, from 1 on
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       2 * 24 * 16);
        load(tile[0], &map, &bar, 2, 1);
        load(tile[1], &far, &bar, 0, 0);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x < 24) {
        first[threadIdx.x] = tile[0][threadIdx.x * 4];
        second[threadIdx.x] = tile[1][threadIdx.x * 4 + 3];
    }
    __syncwarp();
    if (threadIdx.x < 20) tile[0][threadIdx.x] = threadIdx.x / 4 + 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %3, "
                     "%4}], [%5];" ::"l"(&back),
                     "r"(0), "r"(2), "r"(0), "r"(0), "r"((unsigned)__cvta_generic_to_shared(tile[0]))
                     : "memory");
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

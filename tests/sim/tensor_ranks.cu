// kz: sm 90
// launch: grid 1 block 32
// arg: map1 tensor = x u32 dims 50 box 8
// arg: map3 tensor = x u32 dims 4,5,3 strides 16,80 box 4,2,1
// arg: map4 tensor = x u32 dims 4,5,3,2 strides 16,80,240 box 4,1,2,1
// arg: map5 tensor = x u32 dims 4,2,2,3,3 strides 16,32,64,192 box 4,1,1,1,2
// arg: x u32[256] = 0
// arg: out u32[32] = 0
// expect: out = 44 45 46 47 48 49 0 0 32 33 34 35 36 37 38 39 104 105 106 107 0 0 0 0 84 85 86 87 132 133 134 135

// Boxes of 1, 3, 4 and 5 dimensions, packed with dimension 0 fastest; the kernel numbers the elements itself.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_ranks(const __grid_constant__ CUtensorMap map1,
                                        const __grid_constant__ CUtensorMap map3,
                                        const __grid_constant__ CUtensorMap map4,
                                        const __grid_constant__ CUtensorMap map5, unsigned *x,
                                        unsigned *out) {
    __shared__ alignas(128) unsigned tile[4][32];
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < 256; i += 32) x[i] = i;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        const int c1[] = {44}, c3[] = {0, 3, 1}, c4[] = {0, 1, 2, 1}, c5[] = {0, 1, 0, 2, 1};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &map1, c1, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[1], &map3, c3, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[2], &map4, c4, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[3], &map5, c5, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
}

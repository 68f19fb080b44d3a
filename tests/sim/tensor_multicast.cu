// kz: sm 90a
// launch: grid 4 block 32 cluster 4
// arg: map tensor = x u32 dims 8,4 strides 32 box 8,1
// arg: x u32[32] = 1 2 3 4 5 6 7 8
// arg: out u32[128] = 7
// expect: out = 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0

// Block r loads a row for blocks 0 and r: each gets the bytes at the same offset, and its own mbarrier counts them.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_multicast(const __grid_constant__ CUtensorMap map, const unsigned *x,
                                            unsigned *out) {
    __shared__ alignas(128) unsigned tile[4][32];
    __shared__ uint64_t bar;
    unsigned rank = cg::this_cluster().block_rank();
    for (int i = 0; i < 4; i++) tile[i][threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       rank ? 32 : 64);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cg::this_cluster().sync();
    if (threadIdx.x == 0 && rank < 2) {
        const int at[] = {0, (int)rank};
        uint16_t mask = rank ? 3 : 0xd;
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[rank], &map, at, &bar, mask);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[rank * 32 + threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
    cg::this_cluster().sync();
}

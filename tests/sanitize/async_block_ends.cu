// A copy that nobody waits for when its block ends: one stage too many is filled.
// kz: sm 90
// launch: block 64
// arg: x u32[256] = 1 2 3
// arg: out u32[64] = 0
// expect finding: async-no-wait a block ends while a copy of 512 bytes
#include <cuda/ptx>
namespace ptx = cuda::ptx;

static __device__ void load(unsigned *tile, const unsigned *x, uint64_t *bar) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 512);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, x, 512, bar);
}

extern "C" __global__ void block_ends(const unsigned *x, unsigned *out) {
    __shared__ alignas(128) unsigned tile[2][128];
    __shared__ uint64_t bar[2];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) ptx::mbarrier_init(&bar[i], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        load(tile[0], x, &bar[0]);
        load(tile[1], x, &bar[1]);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar[0], 0)) {}
    out[threadIdx.x] = tile[0][threadIdx.x];
}

// A proxy fence for shared memory does not cover global memory, nor the other way round; one that names no state space covers both,
// and that between aliases of an address neither.
// kz: sm 90
// launch: block 128
// arg: out u32[896] = 0
// expect finding: async-no-wait global memory
// expect finding: async-no-wait shared memory
#include <cuda/ptx>
namespace ptx = cuda::ptx;

static __device__ void load(unsigned *tile, const unsigned *from, uint64_t *bar, int parity) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 512);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, from, 512, bar);
    }
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {}
}

extern "C" __global__ void other_fence(unsigned *out) {
    __shared__ alignas(128) unsigned tile[2][128], way_out[3][128];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    out[t] = out[128 + t] = way_out[0][t] = way_out[1][t] = way_out[2][t] = t;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    load(tile[0], out, &bar, 0); // global memory: found
    way_out[1][t]++;
    way_out[2][t]++;
    ptx::fence_proxy_async(ptx::space_global);
    ptx::fence_proxy_alias();
    __syncthreads();
    load(tile[1], out + 128, &bar, 1); // now the fence is there
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256, way_out[0], 512);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 384, way_out[1], 512); // found
    }
    ptx::fence_proxy_async();
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 512, way_out[2], 512);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    out[640 + t] = tile[0][t] + tile[1][t];
}

// kz: sm 90a
// launch: grid 4 block 32 cluster 4
// arg: in s32[256] = 1 2 3 4 5 6 7 8
// arg: out s32[16] = 0
// expect: out = 1 1 1 1 10 11 12 13 300 300 300 300 40 40 40 40

// One block's bulk copy reaches all blocks of the cluster; blocks store, add and copy into each other's
// shared memory, and each waits at its own mbarrier.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void cluster_multicast(const int *in, int *out) {
    __shared__ alignas(16) int tile[64];
    __shared__ alignas(16) int far[4], source[4];
    __shared__ int word, sum;
    __shared__ uint64_t bar[4];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % 4;
    int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < 4; i++) ptx::mbarrier_init(&bar[i], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        sum = 0;
        for (int i = 0; i < 4; i++) source[i] = 10 + (int)rank;
        ptx::fence_proxy_async();
    }
    cluster.sync();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar[0], 256);
        if (rank == 2)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 256, &bar[0], (uint16_t)0xf);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar[1], 4);
        ptx::st_async(cluster.map_shared_rank(&word, next), (int)(10 + rank),
                      cluster.map_shared_rank(&bar[1], next));
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar[2], 12);
    }
    if (t < 3)
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sum, next), 100,
                       cluster.map_shared_rank(&bar[2], next));
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(far, next), source,
                           16, cluster.map_shared_rank(&bar[3], next));
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar[3], 16);
    }
    for (int i = 0; i < 4; i++)
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar[i], 0)) {}
    bool good = tile[t] == in[t] && tile[32 + t] == in[32 + t];
    good = __all_sync(0xffffffffu, good);
    if (t == 0) {
        out[rank] = good;
        out[4 + (rank + 3) % 4] = word;
        out[8 + rank] = sum;
        out[12 + rank] = far[3] == 10 + (int)((rank + 3) % 4) ? 40 : -1;
    }
    // A block's mbarrier taken part in from afar.
    cluster.sync();
    if (t == 0) ptx::mbarrier_init(&bar[0], 4);
    cluster.sync();
    if (t == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                             cluster.map_shared_rank(&bar[0], 0));
    if (rank == 0)
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar[0], 0, 1000)) {}
    cluster.sync();
}

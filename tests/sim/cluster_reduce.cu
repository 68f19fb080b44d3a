// kz: sm 90
// launch: grid 8x2 block 64 cluster 4x2
// arg: out s32[64] = 0
// expect: out = 143360 0 1 0 7 8 2 1 143360 1 3 0 7 8 2 1

// A histogram's sum through distributed shared memory: every block adds into its neighbours', and reads them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void cluster_reduce(int *out) {
    __shared__ int mine;
    __shared__ int seen[8];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
    if (threadIdx.x == 0) mine = 0;
    cluster.sync();
    for (unsigned r = 0; r < n; r++)
        atomicAdd(cluster.map_shared_rank(&mine, r), (int)threadIdx.x + (int)rank);
    int *far = cluster.map_shared_rank(seen, (rank + 1) % n); // plain stores into the next block's array
    if (threadIdx.x < 8) far[threadIdx.x] = (int)(rank * 10 + threadIdx.x);
    cluster.sync();
    int total = 0;
    for (unsigned r = 0; r < n; r++) total += *cluster.map_shared_rank(&mine, r);
    bool good = cluster.query_shared_rank(far) == (rank + 1) % n && cluster.query_shared_rank(seen) == rank;
    good = good && seen[5] == (int)((rank + n - 1) % n * 10 + 5);
    // Of every thread's address the block's own part tells that it is shared.
    good = good && __isShared(seen) && !__isShared(far);
    cluster.sync(); // nobody leaves while its memory is read
    unsigned id;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
    if (rank == 7 && threadIdx.x == 0 && good) {
        int *to = out + 8 * id;
        to[0] = total / 8 * 8 == total ? total : -1;
        to[1] = (int)id;
        dim3 at = cluster.block_index(), size = cluster.dim_blocks();
        to[2] = id ? (int)at.x : (int)at.y;
        to[3] = 0;
        to[4] = (int)rank;
        to[5] = (int)n;
        unsigned nclusters;
        asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nclusters));
        to[6] = (int)nclusters;
        unsigned is;
        asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is));
        to[7] = (int)is;
        if (size.x != 4 || size.y != 2) to[3] = -1;
    }
}

// The twin of race_cluster: the cluster meets before and after.
// kz: sm 90
// launch: grid 4 block 32 cluster 2
// arg: out s32[128] = 0
// seeds: 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void clean_cluster(int *out) {
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    mine[t] = blockIdx.x * 100 + t;
    cluster.sync();
    out[blockIdx.x * 32 + t] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[31 - t];
    cluster.sync();
}

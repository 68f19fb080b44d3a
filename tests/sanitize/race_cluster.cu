// Another block's shared memory is read before the cluster has met.
// kz: sm 90
// launch: grid 4 block 32 cluster 2
// arg: out s32[128] = 0
// expect finding: race cluster.sync()
// expect finding: undefined-output
// seeds: 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void race_cluster(int *out) {
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    mine[t] = blockIdx.x * 100 + t;
    __syncthreads();
    out[blockIdx.x * 32 + t] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[31 - t];
    cluster.sync();
}

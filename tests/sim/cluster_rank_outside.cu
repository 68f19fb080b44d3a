// kz: sm 90
// launch: grid 4 block 32 cluster 2
// arg: out s32[4] = 0
// expect fault: mapa to block rank 2, but the cluster has 2 blocks
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cluster_rank_outside(int *out) {
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    mine = 1;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.num_blocks());
}

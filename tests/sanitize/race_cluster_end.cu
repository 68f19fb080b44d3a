// A block may end while another still reads its shared memory.
// kz: sm 90
// launch: grid 4 block 32 cluster 2
// arg: out s32[128] = 0
// expect finding: race may have ended by then
// expect finding: fault has ended
// seeds: 5
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void race_cluster_end(int *out) {
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    mine[t] = blockIdx.x * 100 + t;
    cluster.sync();
    if (cluster.block_rank() == 0)
        out[blockIdx.x * 32 + t] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[31 - t];
}

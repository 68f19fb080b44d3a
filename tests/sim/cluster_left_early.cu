// kz: sm 90
// launch: grid 2 block 32 cluster 2
// arg: out s32[2] = 0
// expect fault: reaches for the shared memory of block rank 0 of the cluster, which has ended
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cluster_left_early(int *out) {
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    mine = 1;
    cluster.sync();
    if (cluster.block_rank() == 0) return; // while the other still reads
    for (int i = 0; i < 100000; i++) out[1] += *(volatile int *)cluster.map_shared_rank(&mine, 0);
}

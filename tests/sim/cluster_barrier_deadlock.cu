// kz: sm 90
// launch: grid 2 block 64 cluster 2
// arg: out s32[2] = 0
// expect fault: deadlock
// expect fault: block (1,0,0) warp 0 lanes 0xffffffff wait at the cluster's barrier
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cluster_barrier_deadlock(int *out) {
    __shared__ volatile int go;
    go = 0;
    if (blockIdx.x == 0)
        while (!go) {}
    cg::this_cluster().sync();
    out[blockIdx.x] = 1;
}

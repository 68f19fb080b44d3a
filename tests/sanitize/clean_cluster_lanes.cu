// Lanes that take no part in a store to another block's shared memory say nothing of it, lane 0 among them: what the others
// wrote is defined there.
// kz: sm 90
// launch: grid 4 block 64 cluster 2
// arg: out s32[4] = 0
// seeds: 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void clean_cluster_lanes(int *out) {
    __shared__ int from_other[2];
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank();
    cluster.sync();
    if (threadIdx.x % 32 == 3) {
        unsigned there;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(there)
            : "r"((unsigned)__cvta_generic_to_shared(&from_other[threadIdx.x / 32])), "r"(1 - rank));
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(threadIdx.x) : "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = from_other[rank];
}

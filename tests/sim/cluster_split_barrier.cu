// kz: sm 90
// launch: grid 6 block 96
// arg: out s32[6] = 0
// expect: out = 2 2 2 2 2 2

// Arrival and wait apart; some threads leave early and are not waited for. The kernel says its cluster
// itself.
extern "C" __global__ void __cluster_dims__(3, 1, 1) cluster_split_barrier(int *out) {
    __shared__ int flag;
    unsigned rank, count;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    if (threadIdx.x >= 64 + rank) return;
    if (threadIdx.x == 0) flag = (int)rank;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned at = (unsigned)__cvta_generic_to_shared(&flag), far;
    int there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"((rank + 1) % count));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(there) : "r"(far) : "memory");
    asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 63) out[blockIdx.x] = there == (int)((rank + 1) % 3) ? 2 : -there - 10;
}

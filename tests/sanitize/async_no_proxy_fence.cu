// A bulk copy out of shared memory, without a fence between the ways to memory.
// kz: sm 90
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: async-no-wait no proxy fence between
extern "C" __global__ void async_no_proxy_fence(int *out) {
    __shared__ alignas(128) int tile[64];
    int t = threadIdx.x;
    unsigned from = (unsigned)__cvta_generic_to_shared(tile);
    tile[t] = t;
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
    tile[t] = 0;
    __syncthreads();
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

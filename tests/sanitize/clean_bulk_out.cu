// The twin of both: fence, copy, wait, reuse.
// kz: sm 90
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect: out = 0 1 2 3
extern "C" __global__ void clean_bulk_out(int *out) {
    __shared__ alignas(128) int tile[64];
    int t = threadIdx.x;
    unsigned from = (unsigned)__cvta_generic_to_shared(tile);
    tile[t] = t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
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

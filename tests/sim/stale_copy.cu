// kz: sm 80
// launch: grid 1 block 32
// arg: in s32[32] = 7
// arg: out s32[96] = 0
// expect: out = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 7 ...

// Before the wait a copy has not arrived: not after its commit, and not when another group is allowed to be
// under way.
extern "C" __global__ void stale_copy(const int *in, int *out) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = 1;
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(at), "l"(in + t)
                 : "memory");
    out[t] = *(volatile int *)&tile[t];
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    out[32 + t] = *(volatile int *)&tile[t];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[64 + t] = *(volatile int *)&tile[t];
}

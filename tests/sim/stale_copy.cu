// kz: sm 80
// launch: grid 1 block 32
// arg: in s32[32] = 7
// arg: committed s32[32] = 0
// arg: allowed s32[32] = 0
// arg: waited s32[32] = 0
// expect: committed = 1 ...
// expect: allowed = 1 ...
// expect: waited = 7 ...

// Before the wait a copy has not arrived: not after its commit, and not when another group is allowed to be
// under way.
extern "C" __global__ void stale_copy(const int *in, int *committed, int *allowed, int *waited) {
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = 1;
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(at), "l"(in + t)
                 : "memory");
    committed[t] = *(volatile int *)&tile[t];
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    allowed[t] = *(volatile int *)&tile[t];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    waited[t] = *(volatile int *)&tile[t];
}

// kz: sm 90
// Two warps store tiles that differ to the same place by bulk copies.
// launch: grid 1 block 64
// arg: out s32[32] = 0
// expect finding: race
extern "C" __global__ void race_other_copies(int *out) {
    __shared__ __align__(128) int tile[2][32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    tile[warp][lane] = (int)warp;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
        unsigned from = (unsigned)__cvta_generic_to_shared(tile[warp]);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(from)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

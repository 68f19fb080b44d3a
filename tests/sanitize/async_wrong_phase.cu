// Waits for the phase before: it is over at once.
// kz: sm 90
// launch: grid 1 block 64
// arg: in s32[128] = 1 2 3
// arg: out s32[128] = 0
// expect finding: async-no-wait the wrong phase
// expect finding: async-no-wait a block ends
// expect finding: race
// expect finding: undefined-output
// expect finding: deadlock
// seeds: 2
extern "C" __global__ void async_wrong_phase(const int *in, int *out) {
    __shared__ alignas(128) int tile[64];
    __shared__ alignas(8) unsigned long long barrier;
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int round = 0; round < 1; round++) {
        if (t == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
                    "r"(to),
                "l"(in + round * 64), "r"(at)
                : "memory");
        }
        unsigned done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, "
                         "1, 0, p; }"
                         : "=r"(done)
                         : "r"(at), "r"((round & 1) ^ 1)
                         : "memory");
        out[round * 64 + t] = tile[63 - t];
        __syncthreads();
    }
}

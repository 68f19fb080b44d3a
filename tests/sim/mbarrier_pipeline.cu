// kz: sm 80 90
// launch: grid 2 block 96
// arg: in s32[128] = 1 2 3 4
// arg: out s32[128] = 0
// expect: out = 3 5 7 9 ...
// expect: in = 1 2 3 4

// A producer warp fills two buffers with cp.async that arrives at an mbarrier; two warps consume them.
#include <cstdint>

static __device__ unsigned shared_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void wait(uint64_t *bar, unsigned parity) {
    asm volatile(
        "{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(
            shared_of(bar)),
        "r"(parity)
        : "memory");
}
static __device__ void arrive(uint64_t *bar) {
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_of(bar)) : "memory");
    (void)state;
}

extern "C" __global__ void mbarrier_pipeline(const int *in, int *out) {
    __shared__ int tile[2][32];
    __shared__ uint64_t full[2], empty[2];
    __shared__ int wrong;
    if (threadIdx.x == 0) wrong = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(shared_of(&full[i])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared_of(&empty[i])) : "memory");
        }
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 8; i++) {
        int stage = i % 2, turn = i / 2;
        if (warp == 2) {
            wait(&empty[stage], (turn & 1) ^ 1);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_of(&tile[stage][lane])),
                         "l"(in + (i * 32 + lane) % 128)
                         : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_of(&full[stage]))
                         : "memory");
        } else {
            wait(&full[stage], turn & 1);
            int v = tile[stage][lane];
            arrive(&empty[stage]);
            if (v != in[(i * 32 + lane) % 128]) atomicExch(&wrong, 1);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t state;
        unsigned pending;
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_of(&full[0])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 5;" ::"r"(shared_of(&full[0])) : "memory");
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;"
                     : "=l"(state)
                     : "r"(shared_of(&full[0])));
        asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], 2;"
                     : "=l"(state)
                     : "r"(shared_of(&full[0])));
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        if (pending != 3) wrong = 2; // before the second arrival
        arrive(&full[0]);            // completes: five came. The next phase expects three
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(shared_of(&full[0])));
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        if (pending != 3) wrong = 3;
    }
    __syncthreads();
    int n = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x < 64 && !wrong) out[n] = 3 + 2 * (n < 3 ? n : 3);
}

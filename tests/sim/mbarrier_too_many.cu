// kz: sm 80
// launch: grid 1 block 32
// arg: out s32[1] = 0
// expect fault: 7 arrivals at the mbarrier at shared offset 0x0, whose phase 1 waits for 5 more of 10
#include <cstdint>
extern "C" __global__ void mbarrier_too_many(int *out) {
    __shared__ uint64_t bar;
    unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
    uint64_t state;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 10;" ::"r"(at) : "memory");
        for (int i = 0; i < 10; i++)
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at));
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 5;" : "=l"(state) : "r"(at));
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 7;" : "=l"(state) : "r"(at));
        out[0] = (int)state;
    }
}

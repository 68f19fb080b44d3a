// kz: sm 80
// launch: grid 1 block 32
// arg: out s32[1] = 0
// expect fault: the mbarrier at shared offset 0x8 is used but was never initialised
#include <cstdint>
extern "C" __global__ void mbarrier_uninitialised(int *out) {
    __shared__ uint64_t bars[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(bars);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at + 8) : "memory");
    out[0] = (int)state + (int)bars[1];
}

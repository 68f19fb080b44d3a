// Atomic additions in global memory: rate by how many threads meet at an address, and the latency of one.

#include "micro.cuh"

enum { UNROLL = 8 };

// Threads in groups of `a` share an address; n addresses in all, `b` words apart.
MICRO(atomic) {
    uint32_t *at = (uint32_t *)data + kz_thread() / a % n * b;
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
    }
}

// What was there is what is added next: each waits for the one before.
MICRO(atomic_latency) {
    // By thread, or the compiler would gather the lanes that meet at one address, although there is but one.
    uint32_t *at = (uint32_t *)data + kz_thread(), v = 1;
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(at) : "memory");
    }
    micro_end(cycles, begin);
    values[kz_thread()] = v;
}

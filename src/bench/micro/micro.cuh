// The microbenchmarks' kernels: what they share. bench/micro.c launches them and checks what they leave.
//
// All take the same parameters, and each uses those it needs: `data` is the memory that is measured, values[] gets
// something of every thread that only the whole work gives, cycles[0] the clocks of block 0. Accesses and clock
// reads are volatile assembly, which the compiler neither moves nor drops.
#ifndef BENCH_MICRO_CUH
#define BENCH_MICRO_CUH

#include "kz/kernel.cuh"

#define MICRO(name)                                                                                          \
    KZ_ENTRY(micro_##name)                                                                                   \
    (char *data, uint32_t *values, uint64_t *cycles, uint64_t n, uint32_t turns, uint32_t a, uint32_t b)

static __device__ __forceinline__ uint64_t micro_clock(void) {
    uint64_t now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}
static __device__ __forceinline__ uint64_t micro_nanoseconds(void) {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// What a block takes: from the first of its warps that begins to the last that ends. One warp's own count will not
// do: a scheduler may let another one finish before it begins.
struct micro_span {
    unsigned long long first, last;
};
static __device__ __forceinline__ micro_span *micro_block_span(void) {
    static __shared__ micro_span span;
    return &span;
}
static __device__ __forceinline__ uint64_t micro_begin(void) {
    if (threadIdx.x == 0) *micro_block_span() = {~0ull, 0};
    __syncthreads();
    return micro_clock();
}
static __device__ __forceinline__ void micro_end(uint64_t *cycles, uint64_t begin) {
    uint64_t end = micro_clock();
    micro_span *span = micro_block_span();
    if (kz_lane() == 0) {
        atomicMin(&span->first, (unsigned long long)begin);
        atomicMax(&span->last, (unsigned long long)end);
    }
    __syncthreads();
    if (kz_thread() == 0) cycles[0] = span->last - span->first;
}

static __device__ __forceinline__ uint32_t micro_shared(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

// ---- chases ----------------------------------------------------------------------------------------------

enum { MICRO_SMALL_RING = 256 }; // slot i leads to slot (13 i + 7) % 256

#define MICRO_FOLLOW(name, type, letter, load)                                                               \
    static __device__ __forceinline__ type name(type at) {                                                   \
        type next;                                                                                           \
        asm volatile(load " %0, [%1];" : "=" letter(next) : letter(at));                                     \
        return next;                                                                                         \
    }

// One thread: `a` steps to warm up, then `turns` times 8 under the clock.
#define MICRO_CHASE(follow, type, start)                                                                     \
    type at = start;                                                                                         \
    for (uint32_t i = 0; i < a; i++) at = follow(at);                                                        \
    uint64_t begin = micro_clock();                                                                          \
    for (uint32_t i = 0; i < turns; i++) {                                                                   \
        at = follow(at), at = follow(at), at = follow(at), at = follow(at);                                  \
        at = follow(at), at = follow(at), at = follow(at), at = follow(at);                                  \
    }                                                                                                        \
    uint64_t taken = micro_clock() - begin;                                                                  \
    cycles[0] = taken

#endif

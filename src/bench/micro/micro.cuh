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

// Begin and end of what a block does, for all of its warps.
static __device__ __forceinline__ uint64_t micro_begin(void) {
    __syncthreads();
    return micro_clock();
}
static __device__ __forceinline__ void micro_end(uint64_t *cycles, uint64_t begin) {
    __syncthreads();
    uint64_t taken = micro_clock() - begin;
    if (kz_thread() == 0) cycles[0] = taken;
}

static __device__ __forceinline__ uint32_t micro_shared(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

#endif

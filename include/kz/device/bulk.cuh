// What kernels say to Hopper's copy engine and its barriers in shared memory (PTX ISA: mbarrier, cp.async.bulk). A
// barrier's phase ends when all arrivals have come and all promised bytes have landed; whoever waits names the phase by
// its parity. What a warp does for a barrier, all its lanes arrive for: one that arrives for all after a
// __syncwarp() is as good by the memory model and no faster, but compute-sanitizer's racecheck does not follow it.
#ifndef KZ_BULK_CUH
#define KZ_BULK_CUH

#include "kz/kernel.cuh"

static __device__ __forceinline__ unsigned kz_shared_address(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// A barrier is 8 bytes of shared memory, named by its address there; below, the same by pointers.
static __device__ __forceinline__ void kz_barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
static __device__ __forceinline__ void kz_barrier_arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
static __device__ __forceinline__ void kz_barrier_arrive_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
static __device__ __forceinline__ void kz_barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done);
}
static __device__ __forceinline__ void kz_barrier_init(uint64_t *barrier, unsigned arrivals) {
    kz_barrier_init(kz_shared_address(barrier), arrivals);
}
static __device__ __forceinline__ void kz_barrier_arrive(uint64_t *barrier) {
    kz_barrier_arrive(kz_shared_address(barrier));
}
static __device__ __forceinline__ void kz_barrier_arrive_expect(uint64_t *barrier, unsigned bytes) {
    kz_barrier_arrive_expect(kz_shared_address(barrier), bytes);
}
static __device__ __forceinline__ void kz_barrier_wait(uint64_t *barrier, unsigned parity) {
    kz_barrier_wait(kz_shared_address(barrier), parity);
}

// By a whole warp, lane 0 for `bytes` to come as well: KZ_WARP arrivals.
static __device__ __forceinline__ void kz_barrier_arrive_expect_warp(uint64_t *barrier, unsigned bytes) {
    if (kz_lane() == 0)
        kz_barrier_arrive_expect(barrier, bytes);
    else
        kz_barrier_arrive(barrier);
}

// For data that is touched once: its lines are the first to leave L2.
static __device__ __forceinline__ uint64_t kz_evict_first(void) {
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

// Both addresses and the size are multiples of 16 bytes. `barrier` counts the bytes that have landed.
static __device__ __forceinline__ void kz_bulk_load(void *to, const void *from, unsigned bytes,
                                                    uint64_t *barrier, uint64_t policy) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(kz_shared_address(to)),
                 "l"(from), "r"(bytes), "r"(kz_shared_address(barrier)), "l"(policy)
                 : "memory");
}
static __device__ __forceinline__ void kz_bulk_load(unsigned to, const void *from, unsigned bytes,
                                                    unsigned barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}
static __device__ __forceinline__ void kz_bulk_load(void *to, const void *from, unsigned bytes,
                                                    uint64_t *barrier) {
    kz_bulk_load(kz_shared_address(to), from, bytes, kz_shared_address(barrier));
}

// What threads wrote to shared memory before this comes before bulk copies behind it: kz_bulk_store reads it, and
// kz_bulk_load writes over it.
static __device__ __forceinline__ void kz_bulk_fence(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Belongs to this thread's open group; kz_bulk_commit closes it.
static __device__ __forceinline__ void kz_bulk_store(void *to, const void *from, unsigned bytes,
                                                     uint64_t policy) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
                 "r"(kz_shared_address(from)), "r"(bytes), "l"(policy)
                 : "memory");
}
static __device__ __forceinline__ void kz_bulk_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(kz_shared_address(from)), "r"(bytes)
                 : "memory");
}
static __device__ __forceinline__ void kz_bulk_commit(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// All of this thread's closed groups have read what they copy: shared memory may be written again.
static __device__ __forceinline__ void kz_bulk_wait_read(void) {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
// ... and have written it.
static __device__ __forceinline__ void kz_bulk_wait(void) {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

// sgemm: copies to shared memory that no thread waits for, and barriers that count their bytes.
#ifndef SGEMM_ASYNC_CUH
#define SGEMM_ASYNC_CUH

#include "sgemm.cuh"

// Copies WIDTH floats, or as many zeros where they are not wanted (`from` must be a valid address then too).
template <int WIDTH>
static __device__ __forceinline__ void copy_async(unsigned to, const float *from, bool wanted);
template <> __device__ __forceinline__ void copy_async<4>(unsigned to, const float *from, bool wanted) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(wanted ? 16 : 0)
                 : "memory");
}
template <> __device__ __forceinline__ void copy_async<1>(unsigned to, const float *from, bool wanted) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(wanted ? 4 : 0)
                 : "memory");
}

static __device__ __forceinline__ void commit_copies(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// All but the youngest `left` groups of this thread's copies are there.
template <int left> static __device__ __forceinline__ void wait_for_copies(void) {
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
static __device__ __forceinline__ void barrier_arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
static __device__ __forceinline__ void barrier_arrive_expecting(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
// Arrives when the copies that this thread has begun are there.
static __device__ __forceinline__ void barrier_arrive_after_copies(unsigned barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done;
    do
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    while (!done);
}

// One copy of many bytes, a multiple of 16 at such addresses; its bytes are counted by the barrier.
static __device__ __forceinline__ void copy_bulk(unsigned to, const float *from, unsigned bytes,
                                                 unsigned barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}
// What this thread wrote before, and bulk copies after: in that order.
static __device__ __forceinline__ void fence_before_bulk(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
#endif

#endif

// sgemm: copies to shared memory that no thread waits for. Bulk copies and barriers are kz/device/bulk.cuh.
#ifndef SGEMM_ASYNC_CUH
#define SGEMM_ASYNC_CUH

#include "kz/device/bulk.cuh"
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

// Arrives when the copies that this thread has begun are there. sm_90.
static __device__ __forceinline__ void barrier_arrive_after_copies(unsigned barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

#endif

// atomics: locks, for 06 to 09.
//
// Who takes a lock acquires: what its last holder wrote is seen by what follows. Who gives it back releases: what it
// wrote is seen by whoever takes the lock next. Between the two plain loads and stores will do.
//
// A lock for each lane. Lanes of one warp may want the same lock, and the one that has it must not wait for those
// that try. So a lane that failed goes round, and one that succeeded does its work inside the same round: there is
// no place at which the holder could be made to wait for the others.
#ifndef ATOMICS_LOCK_CUH
#define ATOMICS_LOCK_CUH

#include "atomics.cuh"

static __device__ __forceinline__ bool try_lock(unsigned *lock) {
    unsigned before;
    asm volatile("atom.acquire.gpu.global.exch.b32 %0, [%1], 1;" : "=r"(before) : "l"(lock) : "memory");
    return before == 0;
}

static __device__ __forceinline__ unsigned load_acquire(const unsigned *from) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

static __device__ __forceinline__ void store_release(unsigned *to, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// Looks before it tries, and sleeps longer each time that it finds the lock taken.
static __device__ __forceinline__ void update_with_backoff(unsigned *lock, int *slot, parts p) {
    unsigned nanoseconds = ATOMICS_SLEEP_FIRST;
    for (bool done = false; !done;) {
        if (load_relaxed(lock) == 0 && try_lock(lock)) {
            add_parts_alone(slot, p);
            store_release(lock, 0);
            done = true;
        } else {
            __nanosleep(nanoseconds);
            nanoseconds = min(2 * nanoseconds, ATOMICS_SLEEP_MOST);
        }
    }
}

#endif

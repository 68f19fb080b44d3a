// reduce 04: warp shuffle
//
// Idea     03 pays a barrier per halving; the 32 lanes of a warp can read each other's registers instead.
// Change   each warp folds its 32 elements with shfl_down in 5 steps, then one atomic per warp.
// Expect   no shared memory, no barrier.
// Limit    one atomic per 32 elements: eight times as many as 03's (see 05).

#include "reduce.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void warp_shuffle(const T *in, void *cell, size_t n) {
    size_t i = kz_thread();
    // No early return: all 32 lanes must take part in the shuffles.
    A value = i < n ? (A)kz_widen(in[i]) : kz_fold_identity<operation>(A());
    value = kz_fold_lanes<operation>(value);
    if (kz_lane() == 0) fold_into<operation>(cell, value);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_warp_shuffle_##operation##_##type)(const T *in, void *cell, size_t n) {                  \
        warp_shuffle<OPERATION, T, A>(in, cell, n);                                                          \
    }
REDUCE_ALL(ENTRY)
REDUCE_ALL_FINISH

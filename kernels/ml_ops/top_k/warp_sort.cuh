// top_k: up to 32 * R candidates sorted in the registers of a warp, descending. Lane l has candidates R l to R l + R - 1.
//
// A bitonic network. Steps shorter than R stay within a lane; the others are a shuffle per candidate. The loops over sizes and
// long steps stay loops: no register's index depends on them.
#ifndef TOP_K_WARP_SORT_CUH
#define TOP_K_WARP_SORT_CUH

#include "kz/kernel.cuh"

template <typename C> static __device__ __forceinline__ void exchange(C *a, C *b, bool descending) {
    C most = max(*a, *b), least = min(*a, *b);
    *a = descending ? most : least;
    *b = descending ? least : most;
}

// The steps below R of a merge of `size`.
template <int R, typename C>
static __device__ __forceinline__ void merge_in_lane(C (&v)[R], unsigned size, int from) {
#pragma unroll
    for (int step = R / 2; step > 0; step /= 2) {
        if (step > from) continue;
#pragma unroll
        for (int r = 0; r < R; r++)
            if ((r & step) == 0) exchange(&v[r], &v[r + step], ((kz_lane() * R + r) & size) == 0);
    }
}

template <int R, typename C> static __device__ __forceinline__ void sort_warp(C (&v)[R]) {
#pragma unroll
    for (int size = 2; size <= R; size *= 2) merge_in_lane<R>(v, (unsigned)size, size / 2);
#pragma unroll 1
    for (unsigned size = 2 * R; size <= KZ_WARP * R; size *= 2) {
        bool descending = (kz_lane() * R & size) == 0;
#pragma unroll 1
        for (unsigned lanes = size / 2 / R; lanes > 0; lanes /= 2) {
            bool takes_most = ((kz_lane() & lanes) == 0) == descending;
#pragma unroll
            for (int r = 0; r < R; r++) {
                C other = __shfl_xor_sync(KZ_ALL_LANES, v[r], (int)lanes);
                v[r] = takes_most ? max(v[r], other) : min(v[r], other);
            }
        }
        merge_in_lane<R>(v, size, R);
    }
}

#endif

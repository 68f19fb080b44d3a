// warp: what the variants share: a row's elements, one per lane, and the entry points.
//
// Row r is in[32 r ...]; where n is no multiple of 32, the last has fewer lanes. A warp stays whole: a lane
// without an element holds what changes nothing, or is left out by a mask that all lanes have computed together.
#ifndef WARP_ROW_CUH
#define WARP_ROW_CUH

#include "kz/device/fold.cuh"
#include "tune.h"

enum { MATRIX = KZ_WARP * KZ_WARP };

static __device__ __forceinline__ size_t rows_of(size_t n) { return (n + KZ_WARP - 1) / KZ_WARP; }
// The row of this warp where each warp of the grid has one.
static __device__ __forceinline__ size_t own_row(void) { return kz_thread() / KZ_WARP; }

// The lanes of row r that have an element, as a mask.
static __device__ __forceinline__ unsigned lanes_of(size_t row, size_t n) {
    size_t rest = n - row * KZ_WARP;
    return rest >= KZ_WARP ? KZ_ALL_LANES : (1u << rest) - 1;
}

template <typename T> static __device__ __forceinline__ T load_or(const T *in, size_t i, size_t n, T none) {
    return i < n ? in[i] : none;
}

// The lane before this one has prefix `inclusive`: what stands before this lane.
template <typename T> static __device__ __forceinline__ T shift_up(T inclusive) {
    T before = __shfl_up_sync(KZ_ALL_LANES, inclusive, 1);
    return kz_lane() ? before : (T)0;
}

// Prefix sums over the lanes by five shuffles: after a step of d each lane has the sum of the 2 d lanes up to it.
template <typename T> static __device__ __forceinline__ T scan_lanes(T value) {
#pragma unroll
    for (unsigned step = 1; step < KZ_WARP; step *= 2) {
        T before = __shfl_up_sync(KZ_ALL_LANES, value, step);
        if (kz_lane() >= step) value = kz_fold_combine<KZ_SUM>(before, value);
    }
    return value;
}

// Of a row's votes: how many, and the first lane (32 where there is none).
static __device__ __forceinline__ unsigned first_of(unsigned votes) {
    return votes ? __ffs((int)votes) - 1 : KZ_WARP;
}

// Folding over 2 `step` lanes, a row in each register: value[j] is this lane's part of row j. A lane hands `step` of
// its rows to its partner, lane xor `step`, and takes over the partner's part of the others; then half as many. Lane
// l of the 2 `step` ends with row l in value[0]. The tree is the same for every row. (A loop over the steps would not
// be unrolled, and the registers become an array in memory.)
template <int operation, int step, int rows, typename T>
static __device__ __forceinline__ void hand_over(T (&value)[rows]) {
    bool upper = kz_lane() & step;
#pragma unroll
    for (int j = 0; j < step; j++) {
        T low = value[j], high = value[j + step];
        T other = __shfl_xor_sync(KZ_ALL_LANES, upper ? low : high, step);
        value[j] = kz_fold_combine<operation>(upper ? high : low, other);
    }
    if constexpr (step > 1) hand_over<operation, step / 2>(value);
}

// ---- entry points ---------------------------------------------------------------------------------------

#define WARP_FOLD(idea, operation, OPERATION, type, T)                                                       \
    KZ_ENTRY(warp_##idea##_##operation##_##type)(const T *in, T *out, size_t n) {                            \
        fold_rows<OPERATION>(in, out, n);                                                                    \
    }
#define WARP_SCAN(idea, operation, EXCLUSIVE, type, T)                                                       \
    KZ_ENTRY(warp_##idea##_##operation##_##type)(const T *in, T *out, size_t n) {                            \
        scan_rows<EXCLUSIVE>(in, out, n);                                                                    \
    }
#define WARP_FOLDS(idea)                                                                                     \
    WARP_FOLD(idea, sum, KZ_SUM, f32, float)                                                                 \
    WARP_FOLD(idea, sum, KZ_SUM, i32, int)                                                                   \
    WARP_FOLD(idea, max, KZ_MAX, f32, float)                                                                 \
    WARP_FOLD(idea, max, KZ_MAX, i32, int)
#define WARP_SCANS(idea)                                                                                     \
    WARP_SCAN(idea, inclusive, false, f32, float)                                                            \
    WARP_SCAN(idea, inclusive, false, i32, int)                                                              \
    WARP_SCAN(idea, exclusive, true, f32, float)                                                             \
    WARP_SCAN(idea, exclusive, true, i32, int)

#endif

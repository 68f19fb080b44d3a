// reduce_axis: what the variants share.
//
// The input is outer x n x inner, row-major, and n is folded away. Segment s = o * inner + i is one result: its
// element k is in[(o * n + k) * inner + i]. Where inner is 1, segments are rows: n neighbours each.
#ifndef REDUCE_AXIS_CUH
#define REDUCE_AXIS_CUH

#include "kz/fold.cuh"
#include "tune.h"

// Where the first element of segment s lies.
static __device__ __forceinline__ size_t first_of(size_t s, size_t n, size_t inner) {
    return s / inner * n * inner + s % inner;
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, size_t s, A value, size_t n) {
    kz_narrow(&out[s], kz_fold_conclude<operation>(value, n));
}

// ENTRY(operation, OPERATION, type, T, A) for every operation and type of the family.
#define REDUCE_AXIS_ALL(ENTRY)                                                                               \
    KZ_FOLD_TYPES(ENTRY, sum, KZ_SUM)                                                                        \
    KZ_FOLD_TYPES(ENTRY, max, KZ_MAX)                                                                        \
    KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)

#endif

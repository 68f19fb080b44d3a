// reduce_axis: what the variants share.
//
// The input is outer x n x inner, row-major, and n is folded away. Segment s = o * inner + i is one result: its
// element k is in[(o * n + k) * inner + i]. Where inner is 1, segments are rows: n neighbours each.
#ifndef REDUCE_AXIS_CUH
#define REDUCE_AXIS_CUH

#include "kz/device/value_index.cuh"
#include "tune.h"

// Where the first element of segment s lies.
static __device__ __forceinline__ size_t first_of(size_t s, size_t n, size_t inner) {
    return s / inner * n * inner + s % inner;
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, size_t s, A value, size_t n) {
    kz_narrow(&out[s], kz_fold_conclude<operation>(value, n));
}

// Where what finds writes: the values and where they stand.
template <typename T> struct found {
    T *out;
    long long *index;
};
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(found<T> to, size_t s, kz_value_index<A> b, size_t) {
    kz_narrow(&to.out[s], b.value);
    to.index[s] = kz_index_of(b);
}

// ENTRY(operation, OPERATION, type, T, A) for the operations and types of every variant.
#define REDUCE_AXIS_FEW(ENTRY)                                                                               \
    KZ_FOLD_TYPES(ENTRY, sum, KZ_SUM)                                                                        \
    KZ_FOLD_TYPES(ENTRY, max, KZ_MAX)
// With means: of all but 06, whose kernels 07 has too and which take long to compile.
#define REDUCE_AXIS_ALL(ENTRY)                                                                               \
    REDUCE_AXIS_FEW(ENTRY)                                                                                   \
    KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)
// For the variants that do all operations: REDUCE_AXIS_ALL, this, and KZ_ARG_TYPES.
#define REDUCE_AXIS_MIN(ENTRY) KZ_FOLD_TYPES(ENTRY, min, KZ_MIN)

#endif

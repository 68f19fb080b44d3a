// reduce_segments: what the variants share.
//
// Segment s is the elements [offsets[s], offsets[s + 1]); offsets[0] is 0 and the last one n. A segment may
// be empty.
#ifndef REDUCE_SEGMENTS_CUH
#define REDUCE_SEGMENTS_CUH

#include "kz/device/value_index.cuh"
#include "tune.h"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, const unsigned *offsets, size_t s, A value) {
    size_t length = operation == KZ_MEAN ? offsets[s + 1] - offsets[s] : 0;
    kz_narrow(&out[s], kz_fold_conclude<operation>(value, length));
}

// Where what finds writes: the values and where in their segments they stand; they were counted from the
// input's first element. No indices are wanted where `index` is NULL. `negated`: what is folded is
// negated, least for greatest.
template <typename T> struct found {
    T *out;
    long long *index;
    bool negated;
};
static __device__ __forceinline__ float negate(float x) { return -x; }
static __device__ __forceinline__ double negate(double x) { return -x; }
static __device__ __forceinline__ int negate(int x) { return ~x; }

template <typename T, typename A> static __device__ __forceinline__ A enter(T *, A x) { return x; }
template <typename T, typename A> static __device__ __forceinline__ A enter(found<T> to, A x) {
    return to.negated ? negate(x) : x;
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(found<T> to, const unsigned *offsets, size_t s,
                                                    kz_value_index<A> b) {
    kz_narrow(&to.out[s], enter(to, b.value)); // negated twice it is the element itself
    if (to.index) to.index[s] = b.high < 0 ? -1 : kz_index_of(b) - offsets[s];
}

// ENTRY(operation, OPERATION, type, T, A) for the operations and types of every variant.
#define REDUCE_SEGMENTS_FEW(ENTRY)                                                                           \
    KZ_FOLD_TYPES(ENTRY, sum, KZ_SUM)                                                                        \
    KZ_FOLD_TYPES(ENTRY, max, KZ_MAX)
// With means: of all but 05, which takes long to compile.
#define REDUCE_SEGMENTS_ALL(ENTRY)                                                                           \
    REDUCE_SEGMENTS_FEW(ENTRY)                                                                               \
    KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)
// For the variants that have it too.
#define REDUCE_SEGMENTS_MIN(ENTRY) KZ_FOLD_TYPES(ENTRY, min, KZ_MIN)

#endif

// reduce_segments: what the variants share.
//
// Segment s is the elements [offsets[s], offsets[s + 1]); offsets[0] is 0 and the last one n. A segment may be empty.
#ifndef REDUCE_SEGMENTS_CUH
#define REDUCE_SEGMENTS_CUH

#include "kz/fold.cuh"
#include "tune.h"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, const unsigned *offsets, size_t s, A value) {
    size_t length = operation == MEAN ? offsets[s + 1] - offsets[s] : 0;
    kz_narrow(&out[s], conclude<operation>(value, length));
}

// ENTRY(operation, OPERATION, type, T, A) for every operation and type of the family.
#define REDUCE_SEGMENTS_ALL(ENTRY)                                                                           \
    REDUCE_TYPES(ENTRY, sum, SUM)                                                                            \
    REDUCE_TYPES(ENTRY, max, MAX)                                                                            \
    REDUCE_FLOATS(ENTRY, mean, MEAN)

#endif

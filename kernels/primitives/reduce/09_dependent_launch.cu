// kz: sm 90
// reduce 09: programmatic dependent launch
//
// Idea     on a small input most of the time is no work at all: a grid is put on the multiprocessors only when the one
//          before it in the stream has ended.
// Change   08, launched so that it may come early (programmatic dependent launch). Its blocks take their places while
//          the kernel before is at its end, and wait there before they touch memory. Block 0 lets the next one come
//          when it has only to poll; the others do so by ending.
// Expect   the time of 08 less that of a launch, where launches follow each other in a stream or a graph; nothing gained
//          for a launch alone.
// Limit    sm_90. Its blocks take up room that the kernel before could use.

#include "epoch_flags.cuh"

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_dependent_launch_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)             \
    (const T *in, T *out, size_t n) { epoch_flags<OPERATION, T, A, true>(in, out, NULL, n); }
#define ARG(operation, OPERATION, type, T, A)                                                                \
    KZ_ENTRY_BOUNDS(reduce_dependent_launch_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)             \
    (const T *in, T *out, long long *index, size_t n) {                                                      \
        epoch_flags<OPERATION, T, kz_value_index<A>, true>(in, out, index, n);                               \
    }
REDUCE_ALL(ENTRY)
KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)
KZ_ARG_TYPES(ARG)

// reduce_segments 01: a thread per segment
//
// Idea     every segment is a loop of its own: give each to a thread.
// Change   the first version.
// Expect   right, and not bad for segments of a few elements: neighbouring threads then read from the same lines.
// Limit    a warp is as slow as its longest segment, and one of millions keeps the whole GPU waiting (see 02, 03);
//          from some elements up each lane reads lines of its own.

#include "segments.cuh"

template <int operation, typename T, typename A, typename O>
static __device__ __forceinline__ void thread_each(const T *in, const unsigned *offsets, O out,
                                                   size_t segments) {
    for (size_t s = kz_thread(); s < segments; s += kz_threads()) {
        A value = kz_fold_identity<operation>(A());
        for (size_t k = offsets[s]; k < offsets[s + 1]; k++)
            value = kz_fold_next<operation>(value, kz_fold_element<A>::at(in[k], k));
        write_result<operation>(out, offsets, s, value);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_segments_thread_##operation##_##type)                                                    \
    (const T *in, const unsigned *offsets, T *out, size_t segments) {                                        \
        thread_each<OPERATION, T, A>(in, offsets, out, segments);                                            \
    }
#define FIND(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY(reduce_segments_thread_##operation##_##type)                                                    \
    (const T *in, const unsigned *offsets, T *out, size_t segments, long long *index) {                      \
        thread_each<OPERATION, T, kz_value_index<A>>(in, offsets, found<T>{out, index, false}, segments);    \
    }
REDUCE_SEGMENTS_ALL(ENTRY)
REDUCE_SEGMENTS_MIN(ENTRY)
KZ_ARG_TYPES(FIND)

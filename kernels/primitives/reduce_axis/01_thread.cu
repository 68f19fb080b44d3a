// reduce_axis 01: a thread per segment
//
// Idea     every result is a loop of its own: give each to a thread.
// Change   the first version.
// Expect   right for every shape, and already good for inner >= 32: neighbouring threads read neighbouring
//          columns. For inner = 1 the 32 lanes read n elements apart: a sector of 32 bytes for 4 of them.
// Limit    scattered reads of rows (see 02); too few threads where there are few results (see 03, 05).

#include "axis.cuh"

template <int operation, typename T, typename A, typename O>
static __device__ __forceinline__ void thread_each(const T *in, O out, size_t segments, size_t n,
                                                   size_t inner) {
    for (size_t s = kz_thread(); s < segments; s += kz_threads()) {
        const T *from = in + first_of(s, n, inner);
        A value = kz_fold_identity<operation>(A());
        for (size_t k = 0; k < n; k++)
            value = kz_fold_next<operation>(value, kz_fold_element<A>::at(from[k * inner], k));
        write_result<operation>(out, s, value, n);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_axis_thread_##operation##_##type)                                                        \
    (const T *in, T *out, size_t segments, size_t n, size_t inner) {                                         \
        thread_each<OPERATION, T, A>(in, out, segments, n, inner);                                           \
    }
#define FIND(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY(reduce_axis_thread_##operation##_##type)                                                        \
    (const T *in, T *out, size_t segments, size_t n, size_t inner, long long *index) {                       \
        thread_each<OPERATION, T, kz_value_index<A>>(in, found<T>{out, index}, segments, n, inner);          \
    }
REDUCE_AXIS_ALL(ENTRY)
REDUCE_AXIS_MIN(ENTRY)
KZ_ARG_TYPES(FIND)

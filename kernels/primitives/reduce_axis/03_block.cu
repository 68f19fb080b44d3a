// reduce_axis 03: a block per segment
//
// Idea     few and long segments: more threads for each.
// Change   256 threads stride over n; warps fold by shuffles and meet in shared memory.
// Expect   good from some thousands of elements in a row; two barriers a segment drown in the reading there.
// Limit    short rows leave most of the threads with nothing, and the barriers are all there is (see 04).

#include "axis.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void block_each(const T *in, T *out, size_t segments, size_t n,
                                                  size_t inner) {
    for (size_t s = blockIdx.x; s < segments; s += gridDim.x) {
        const T *from = in + first_of(s, n, inner);
        A value = kz_fold_identity<operation>(A());
        for (size_t k = threadIdx.x; k < n; k += blockDim.x)
            value = kz_fold_combine<operation>(value, (A)kz_widen(from[k * inner]));
        value = kz_fold_block<operation>(value);
        if (threadIdx.x == 0) write_result<operation>(out, s, value, n);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_axis_block_##operation##_##type)                                                         \
    (const T *in, T *out, size_t segments, size_t n, size_t inner) {                                         \
        block_each<OPERATION, T, A>(in, out, segments, n, inner);                                            \
    }
REDUCE_AXIS_ALL(ENTRY)

// reduce_axis 02: a warp per segment
//
// Idea     32 lanes side by side in a row read 32 neighbours: whole sectors.
// Change   the lanes stride over n and fold by shuffles at the end.
// Expect   rows (inner = 1) read with every byte used. Columns are now what was scattered before: 01 is better
//          there.
// Limit    a row of 16 elements keeps half of the lanes; five shuffles for each row, however short (see 04). A row
//          of a million has 32 lanes (see 03).

#include "axis.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void warp_each(const T *in, T *out, size_t segments, size_t n,
                                                 size_t inner) {
    for (size_t s = kz_thread() / KZ_WARP; s < segments; s += kz_threads() / KZ_WARP) {
        const T *from = in + first_of(s, n, inner);
        A value = kz_fold_identity<operation>(A());
        for (size_t k = kz_lane(); k < n; k += KZ_WARP)
            value = kz_fold_combine<operation>(value, (A)kz_widen(from[k * inner]));
        __syncwarp();
        value = kz_fold_lanes<operation>(value);
        if (kz_lane() == 0) write_result<operation>(out, s, value, n);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_axis_warp_##operation##_##type)                                                          \
    (const T *in, T *out, size_t segments, size_t n, size_t inner) {                                         \
        warp_each<OPERATION, T, A>(in, out, segments, n, inner);                                             \
    }
REDUCE_AXIS_ALL(ENTRY)

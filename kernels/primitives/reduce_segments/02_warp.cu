// reduce_segments 02: a warp per segment
//
// Idea     32 lanes side by side in a segment read neighbours.
// Change   the lanes stride over the segment and fold by shuffles.
// Expect   every line is read once, and the longest segment has 32 lanes.
// Limit    short segments leave most lanes idle, empty ones all of them: a warp each, for nothing. A giant still has
//          one warp (see 03, 04).

#include "segments.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void warp_each(const T *in, const unsigned *offsets, T *out,
                                                 size_t segments) {
    for (size_t s = kz_thread() / KZ_WARP; s < segments; s += kz_threads() / KZ_WARP) {
        A value = kz_fold_identity<operation>(A());
        size_t end = offsets[s + 1];
        for (size_t k = offsets[s] + kz_lane(); k < end; k += KZ_WARP)
            value = kz_fold_combine<operation>(value, (A)kz_widen(in[k]));
        __syncwarp();
        value = kz_fold_lanes<operation>(value);
        if (kz_lane() == 0) write_result<operation>(out, offsets, s, value);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_segments_warp_##operation##_##type)                                                      \
    (const T *in, const unsigned *offsets, T *out, size_t segments) {                                        \
        warp_each<OPERATION, T, A>(in, offsets, out, segments);                                              \
    }
REDUCE_SEGMENTS_ALL(ENTRY)

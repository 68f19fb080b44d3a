// reduce_axis 04: lane groups of the row's length
//
// Idea     a row of 16 floats is 64 bytes: four lanes with 16 bytes each read it at once, and a warp has eight such
//          groups. As many lanes as the row has packs, and no more.
// Change   the plan names the lanes of a group: 1, 2, 4, 8, 16 or 32. Packs of 16 bytes where all rows begin on
//          such a boundary, single elements otherwise. log2(lanes) shuffles instead of five.
// Expect   a load of a warp is 512 neighbouring bytes for every row from 16 bytes up.
// Limit    one load in flight per lane, then shuffles and a store before the next (see 06). Rows alone: inner = 1.

#include "axis.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ A fold_row(const T *row, size_t n, unsigned lane, unsigned lanes,
                                             bool aligned) {
    const int PACK = 16 / sizeof(T);
    A value = kz_fold_identity<operation>(A());
    if (aligned)
        for (size_t p = lane; p < n / PACK; p += lanes)
            value = kz_fold_pack<operation, T, A>(value, kz_load_pack<REDUCE_AXIS_LOAD>(row + p * PACK));
    else
        for (size_t k = lane; k < n; k += lanes)
            value = kz_fold_combine<operation>(value, (A)kz_widen(row[k]));
    return value;
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void group_each(const T *in, T *out, size_t segments, size_t n,
                                                  unsigned lanes) {
    bool aligned = n * sizeof(T) % 16 == 0 && kz_aligned(in, 16);
    unsigned lane = kz_lane() % lanes, groups = KZ_WARP / lanes;
    // All lanes of a warp go round together, for the shuffles: a group past the end folds nothing.
    for (size_t base = kz_thread() / KZ_WARP * groups; base < segments;
         base += kz_threads() / KZ_WARP * groups) {
        size_t s = base + kz_lane() / lanes;
        A value = kz_fold_identity<operation>(A());
        if (s < segments) value = fold_row<operation, T, A>(in + s * n, n, lane, lanes, aligned);
        __syncwarp();
        for (unsigned step = lanes / 2; step > 0; step /= 2)
            value = kz_fold_combine<operation>(value, __shfl_xor_sync(KZ_ALL_LANES, value, step));
        if (s < segments && lane == 0) write_result<operation>(out, s, value, n);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_axis_lane_group_##operation##_##type)                                                    \
    (const T *in, T *out, size_t segments, size_t n, size_t lanes) {                                         \
        group_each<OPERATION, T, A>(in, out, segments, n, (unsigned)lanes);                                  \
    }
REDUCE_AXIS_ALL(ENTRY)

// warp 04: a butterfly that hands rows over
//
// Idea     five shuffles fold one row and leave 31 lanes with nothing to do. With xor instead of down every lane
//          works in every step, and can work for a row of its own.
// Change   32 rows per warp, a register for each. In the first step a lane hands 16 rows to its partner, lane xor
//          16, and takes over the partner's half of the other 16; then 8, 4, 2, 1. Lane l ends with row l.
// Expect   31 shuffles for 32 rows, where 03 needs 160; 32 loads in flight; one store of 128 bytes for 32 results.
// Limit    4-byte loads: an instruction for each (see 06).

#include "row.cuh"

template <int operation, typename T>
static __device__ __forceinline__ void fold_rows(const T *in, T *out, size_t n) {
    size_t first = own_row() * KZ_WARP;
    if (first >= rows_of(n)) return; // the whole warp
    T value[KZ_WARP];
#pragma unroll
    for (int j = 0; j < KZ_WARP; j++)
        value[j] = load_or(in, (first + j) * KZ_WARP + kz_lane(), n, kz_fold_identity<operation>(T()));
    hand_over<operation, KZ_WARP / 2>(value);
    if (first + kz_lane() < rows_of(n)) out[first + kz_lane()] = value[0];
}

WARP_FOLDS(butterfly)

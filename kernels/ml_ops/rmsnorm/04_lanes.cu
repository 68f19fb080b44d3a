// kz: sm 89
// rmsnorm 04: lanes of a warp per row, in registers
//
// Idea     a row of up to 2 KB fits into the registers of a warp's lanes, a shorter one into those of fewer.
// Change   as many lanes as hold the row with four packs each; one fold, by shuffles alone. Warps take row after row, the next
//          one's loads under way. Backward, a lane has the same columns in every row and keeps their sums in registers; at the
//          end the block's warps are added up, and a second launch adds the blocks.
// Expect   x, and backward x and dy, are read once: 64 bytes in flight per thread, no shared memory and no barrier per row.
// Limit    a row of more than a warp's registers (see 05). sm_89, for its conversions to bf16 and e4m3.

#include "rmsnorm.cuh"

#define UNITS(KIND) ((KIND) == NORM_RESIDUAL ? NORM_LANE_UNITS_OF_TWO : NORM_LANE_UNITS)

#define FORWARD(operation, KIND, type, T)                                                                    \
    KZ_ENTRY_BOUNDS(rmsnorm_lanes_##operation##_##type, KZ_ROW_LANE_THREADS, NORM_LANE_BLOCKS)               \
    NORM_ARGS(T) {                                                                                           \
        norm_forward<T, NORM_RMS, KIND> program(NORM_GIVEN(T));                                              \
        kz_rows_lanes<decltype(program), UNITS(KIND)>(program, rows, columns, extra);                        \
    }
RMSNORM_FORWARD(FORWARD)

#define BACKWARD(type, T)                                                                                    \
    KZ_ENTRY_BOUNDS(rmsnorm_lanes_backward_##type, KZ_ROW_LANE_THREADS, NORM_LANE_BACK_BLOCKS)               \
    NORM_BACK_ARGS(T) {                                                                                      \
        norm_back_lanes<T, NORM_RMS, NORM_LANE_UNITS_OF_TWO>(NORM_BACK_GIVEN(T), rows, columns, extra);      \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_lanes_fold_backward_##type) NORM_FOLD_ARGS(T) {                                         \
        norm_fold_parts(parts, dgamma, dbeta, columns, count);                                               \
    }
NORM_TYPES(BACKWARD)

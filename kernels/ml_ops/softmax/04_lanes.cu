// kz: sm 80
// softmax 04: lanes of a warp per row, in registers
//
// Idea     a row of up to 2 KB fits into the registers of a warp's lanes, a shorter one into those of fewer.
// Change   as many lanes as a row has packs of 16 bytes, 32 at most with 4 packs each; a row is read once, and folded by
//          shuffles alone. Warps stay and take row after row, and the loads of the next rows are under way meanwhile: of
//          three rows where a lane has one pack, of one where it has four.
// Expect   64 bytes in flight per thread, 64 KB per multiprocessor; no shared memory, no barrier.
// Limit    a row of more than a warp's registers (see 05).

#include "softmax.cuh"

#define UNITS(program) (program::BACK ? SOFTMAX_BACK_UNITS : SOFTMAX_UNITS)

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY_BOUNDS(softmax_lanes_short_##operation##_##type, KZ_ROW_LANE_THREADS, 4) SOFTMAX_ARGS(T) {      \
        program p(a, b, out, rows);                                                                          \
        kz_rows_lanes<program, 1, program::BACK ? 1 : SOFTMAX_SHORT_AHEAD>(p, batch * rows, columns, extra); \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(softmax_lanes_##operation##_##type, KZ_ROW_LANE_THREADS, 4) SOFTMAX_ARGS(T) {            \
        program p(a, b, out, rows);                                                                          \
        kz_rows_lanes<program, UNITS(program)>(p, batch * rows, columns, extra);                             \
    }
SOFTMAX_ALL(ENTRY)

// kz: sm 80
// softmax 04: lanes of a warp per row, in registers
//
// Idea     a row of up to 2 KB fits into the registers of a warp's lanes, a shorter one into those of fewer.
// Change   a lane for every four packs of 16 bytes, for each pack where they are eight at most; a row is read once, and
//          folded by shuffles alone. Warps stay and take row after row, and the loads of the next rows are under
//          way meanwhile: of three rows where a lane has one pack, of two where it has four.
// Expect   48 to 128 bytes in flight per thread, 36 to 64 KB per multiprocessor; no shared memory, no barrier.
// Limit    a row of more than a warp's registers (see 05).

#include "softmax.cuh"

#define UNITS(program) (program::BACK ? SOFTMAX_BACK_UNITS : SOFTMAX_UNITS)

#define LANES(part, operation, type, T, program, units, ahead, resident)                                     \
    KZ_ENTRY_BOUNDS(softmax_##part##_##operation##_##type, KZ_ROW_LANE_THREADS,                              \
                    (resident) / KZ_ROW_LANE_THREADS)                                                        \
    SOFTMAX_ARGS(T) {                                                                                        \
        program p(a, b, out, rows);                                                                          \
        kz_rows_lanes<program, units, ahead>(p, batch * rows, columns, extra);                               \
    }
#define ENTRY(operation, type, T, program)                                                                   \
    LANES(lanes_short, operation, type, T, program, 1, SOFTMAX_SHORT_AHEAD, SOFTMAX_SHORT_RESIDENT)          \
    LANES(lanes, operation, type, T, program, UNITS(program), SOFTMAX_AHEAD, SOFTMAX_LANES_RESIDENT)
SOFTMAX_ALL(ENTRY)

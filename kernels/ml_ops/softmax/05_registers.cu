// kz: sm 80
// softmax 05: a block per row, in registers
//
// Idea     a row of up to 40 KB fits into the registers of a block.
// Change   as many threads as hold the row with four packs each (two of each array backward); one barrier per row. Blocks
//          stay and take row after row: the next row is on its way while this one is folded and written.
// Expect   each element is loaded once, by 16 bytes, and stored once, and takes one exponential, which its thread keeps.
//          Of float, 768 threads are on a multiprocessor, with 48 KB in flight and as much again while they wait.
// Limit    longer rows (see 06).

#include "softmax.cuh"

#define UNITS(program) (program::BACK ? SOFTMAX_BACK_UNITS : SOFTMAX_UNITS)

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY_BOUNDS(softmax_registers_##operation##_##type,                                                  \
                    sizeof(T) == 2 ? SOFTMAX_HALF_RESIDENT : SOFTMAX_RESIDENT, 1)                            \
    SOFTMAX_ARGS(T) {                                                                                        \
        program p(a, b, out, rows);                                                                          \
        kz_rows_block<program, UNITS(program)>(p, batch * rows, columns);                                    \
    }
SOFTMAX_ALL(ENTRY)

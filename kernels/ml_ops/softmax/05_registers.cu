// kz: sm 80
// softmax 05: a block per row, in registers
//
// Idea     a row of up to 64 KB fits into the registers of a block.
// Change   as many threads as hold the row with four packs each (two of each array backward); one barrier per row. 1024 threads are
//          on a multiprocessor: of their blocks some load while others fold and write.
// Expect   each element is loaded once, by 16 bytes, and stored once, and takes one exponential, which its thread keeps.
// Limit    longer rows (see 06).

#include "softmax.cuh"

#define UNITS(program) (program::BACK ? SOFTMAX_BACK_UNITS : SOFTMAX_UNITS)

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY_BOUNDS(softmax_registers_##operation##_##type, KZ_ROW_BLOCK_THREADS, 1)                         \
    SOFTMAX_ARGS(T) {                                                                                        \
        program p(a, b, out, rows);                                                                          \
        kz_rows_block<program, UNITS(program)>(p, batch * rows, columns);                                    \
    }
SOFTMAX_ALL(ENTRY)

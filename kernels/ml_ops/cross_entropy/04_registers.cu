// cross_entropy 04: a block per row, in registers
//
// Idea     a row of up to 64 KB fits into the registers of a block: 32768 classes of halves.
// Change   as many threads, up to 512, as hold the row with eight packs each. Blocks stay and take row after row: the next
//          row is on its way while this one is folded and written. 1024 threads with four packs each would have 64 registers,
//          too few for two rows and the gradient: 400 bytes per thread were spilled.
// Expect   each logit is loaded once, by 16 bytes; the gradient is stored in its place from registers.
// Limit    longer rows (see 05).

#include "cross_entropy.cuh"

#define ENTRY(operation, type, args, program)                                                                \
    KZ_ENTRY_BOUNDS(cross_entropy_registers_##operation##_##type, CROSS_ENTROPY_BLOCK, 1) args {             \
        auto p = program;                                                                                    \
        kz_rows_block<decltype(p), CROSS_ENTROPY_UNITS>(p, rows, classes);                                   \
    }
ENTROPY_ALL(ENTRY)

// cross_entropy 04: a block per row, in registers
//
// Idea     a row of up to 64 KB fits into the registers of a block: 32768 classes of halves.
// Change   as many threads, up to 1024, as hold the row with four packs each; of the blocks on a multiprocessor some load while
//          others fold and write.
// Expect   each logit is loaded once, by 16 bytes; the gradient is stored in its place from registers.
// Limit    longer rows (see 05).

#include "cross_entropy.cuh"

#define ENTRY(operation, type, args, program)                                                                \
    KZ_ENTRY_BOUNDS(cross_entropy_registers_##operation##_##type, CROSS_ENTROPY_BLOCK, 1) args {             \
        auto p = program;                                                                                    \
        kz_rows_block<decltype(p), CROSS_ENTROPY_UNITS>(p, rows, classes);                                   \
    }
ENTROPY_ALL(ENTRY)

// kz: sm 89
// rmsnorm 05: a block per row, in registers
//
// Idea     a row of up to 64 KB (with a residual: 32 KB) fits into the registers of a block.
// Change   four packs per thread, and as many threads as that takes; of the blocks on a multiprocessor some load while others
//          fold. Where there are no more rows than multiprocessors a kernel of its own has one or two packs per thread, and
//          asks for the weight together with the row. Backward, one fold has the squares, of which rstd is made anew, and the
//          products; blocks stay, a thread has the same columns in every row and keeps their sums in registers.
// Expect   x, and backward x and dy, are read once, by 16 bytes; one row of partial sums per block.
// Limit    longer rows (see 03): backward, 8192 halves or 4096 floats fit.

#include "rmsnorm.cuh"

#define BLOCK(KIND) ((KIND) == NORM_RESIDUAL ? NORM_BLOCK_OF_TWO : NORM_BLOCK)

#define FORWARD(operation, KIND, type, T)                                                                    \
    KZ_ENTRY_BOUNDS(rmsnorm_registers_##operation##_##type, BLOCK(KIND), 1) NORM_ARGS(T) {                   \
        norm_forward<T, NORM_RMS, KIND> program(NORM_GIVEN(T));                                              \
        kz_rows_block<decltype(program), NORM_UNITS>(program, rows, columns);                                \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(rmsnorm_registers_few_##operation##_##type, BLOCK(KIND), 1) NORM_ARGS(T) {               \
        norm_forward<T, NORM_RMS, KIND, NORM_FEW_UNITS> program(NORM_GIVEN(T));                              \
        kz_rows_block<decltype(program), NORM_FEW_UNITS>(program, rows, columns);                            \
    }
RMSNORM_FORWARD(FORWARD)

#define BACKWARD(type, T)                                                                                    \
    KZ_ENTRY_BOUNDS(rmsnorm_registers_backward_##type, NORM_BACK_RESIDENT(sizeof(T)), 1) NORM_BACK_ARGS(T) { \
        norm_back_block<T, NORM_RMS, NORM_BACK_UNITS>(NORM_BACK_GIVEN(T), rows, columns);                    \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_registers_fold_backward_##type) NORM_FOLD_ARGS(T) {                                     \
        norm_fold_parts(parts, dgamma, dbeta, columns, count);                                               \
    }
NORM_TYPES(BACKWARD)

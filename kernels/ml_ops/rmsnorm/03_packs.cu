// rmsnorm 03: packs of 16 bytes
//
// Idea     a load of 16 bytes moves as much as four or eight of 02's, and several of them fly at once.
// Change   the row frame reads packs, four of them in flight per thread, from the 16-byte boundary before the row on.
//          Backward, a stage of its own adds columns over chunks of rows, with rstd from the first, and another one adds the
//          chunks, in a fixed order: no atomics.
// Expect   an eighth of 02's loads and stores; the second reading of a row from L2.
// Limit    the second reading, and backward a second reading of x and dy (see 04, 05). The variant of rows of any length.

#include "rmsnorm.cuh"

#define FORWARD(operation, KIND, type, T)                                                                    \
    KZ_ENTRY_BOUNDS(rmsnorm_packs_##operation##_##type, 512, 2) NORM_ARGS(T) {                               \
        norm_forward<T, NORM_RMS, KIND> program(NORM_GIVEN(T));                                              \
        kz_rows_stream(program, rows, columns);                                                              \
    }
RMSNORM_FORWARD(FORWARD)

#define BACKWARD(type, T)                                                                                    \
    KZ_ENTRY_BOUNDS(rmsnorm_packs_backward_##type, 512, 2) NORM_BACK_ARGS(T) {                               \
        norm_backward<T, NORM_RMS> program(NORM_BACK_GIVEN(T));                                              \
        kz_rows_stream(program, rows, columns);                                                              \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_packs_chunk_backward_##type) NORM_BACK_ARGS(T) {                                        \
        norm_add_chunk<T, NORM_RMS>(NORM_BACK_GIVEN(T), rows, columns, extra);                               \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_packs_fold_backward_##type) NORM_FOLD_ARGS(T) {                                         \
        norm_fold_parts(parts, dgamma, dbeta, columns, count);                                               \
    }
NORM_TYPES(BACKWARD)

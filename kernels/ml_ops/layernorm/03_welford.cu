// layernorm 03: mean and variance in one pass
//
// Idea     count, mean and squared differences of two parts of a row become those of both (Welford for one element more, Chan
//          for two sets), so one pass finds both. The mean of squares less the square of the mean is one pass too, but where
//          the mean is large it takes two large numbers from each other: at a mean of 4096 and a variance of 1 no digit of a
//          float is left.
// Change   the row frame reads packs of 16 bytes, four of them in flight per thread. A pack's own mean and squares are found in
//          registers, then it is merged, so a merge is paid once for 4 or 8 elements. Backward, a stage of its own adds
//          columns over chunks of rows, and another one adds the chunks, in a fixed order: no atomics.
// Expect   two readings of a row instead of three, the second from L2.
// Limit    the second reading, and backward a second reading of x and dy (see 04, 05). The variant of rows of any length.

#include "layernorm.cuh"

#define FORWARD(operation, KIND, type, T)                                                                    \
    KZ_ENTRY_BOUNDS(layernorm_welford_##operation##_##type, 512, 2) NORM_ARGS(T) {                           \
        norm_forward<T, NORM_LAYER, KIND> program(NORM_GIVEN(T));                                            \
        kz_rows_stream(program, rows, columns);                                                              \
    }
LAYERNORM_FORWARD(FORWARD)

#define BACKWARD(type, T)                                                                                    \
    KZ_ENTRY_BOUNDS(layernorm_welford_backward_##type, 512, 2) NORM_BACK_ARGS(T) {                           \
        norm_backward<T, NORM_LAYER> program(NORM_BACK_GIVEN(T));                                            \
        kz_rows_stream(program, rows, columns);                                                              \
    }                                                                                                        \
    KZ_ENTRY(layernorm_welford_chunk_backward_##type) NORM_BACK_ARGS(T) {                                    \
        norm_add_chunk<T, NORM_LAYER>(NORM_BACK_GIVEN(T), rows, columns, extra);                             \
    }                                                                                                        \
    KZ_ENTRY(layernorm_welford_fold_backward_##type) NORM_FOLD_ARGS(T) {                                     \
        norm_fold_parts(parts, dgamma, dbeta, columns, count);                                               \
    }
NORM_TYPES(BACKWARD)

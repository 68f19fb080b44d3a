// reduce_segments 00: plain C on the `cpu` device
//
// Idea     each block of the grid folds a run of neighbouring segments.
// Change   none: it stands before the ladder. Floats are accumulated in double, i32 wraps.
// Expect   bound by the chain of dependent additions; a giant segment keeps one core busy and the rest idle.
#include "private.h"

static void fold_segments(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const void *in = *(const void *const *)launch->args[0];
    const uint32_t *offsets = *(const uint32_t *const *)launch->args[1];
    void *out = *(void *const *)launch->args[2];
    uint64_t segments = *(const uint64_t *)launch->args[3], chunk = kz_ceil_div(segments, launch->grid[0]);
    uint64_t from = kz_min_u64(segments, chunk * launch->block_index[0]);
    for (uint64_t s = from; s < kz_min_u64(segments, from + chunk); s++) {
        double value = reduce_identity(operation, type);
        for (uint64_t k = offsets[s]; k < offsets[s + 1]; k++)
            value = reduce_combine(operation, type, value, kz_element_get(type, in, k));
        kz_element_set(type, out, s, reduce_conclude(operation, value, offsets[s + 1] - offsets[s]));
    }
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void fold_##operation##_##type(const kz_native_launch *launch) {                                  \
        fold_segments(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                             \
    }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"reduce_segments_native_" #operation "_" #type, fold_##operation##_##type},
#define FLOATS(X, operation, OPERATION)                                                                      \
    X(operation, OPERATION, f32, F32)                                                                        \
    X(operation, OPERATION, f64, F64)                                                                        \
    X(operation, OPERATION, f16, F16)                                                                        \
    X(operation, OPERATION, bf16, BF16)
#define ALL(X)                                                                                               \
    FLOATS(X, sum, SUM)                                                                                      \
    FLOATS(X, max, MAX)                                                                                      \
    FLOATS(X, mean, MEAN)                                                                                    \
    X(sum, SUM, i32, I32)                                                                                    \
    X(max, MAX, i32, I32)

ALL(ENTRY)

const kz_native_entry reduce_segments_natives[] = {ALL(ROW){0}};

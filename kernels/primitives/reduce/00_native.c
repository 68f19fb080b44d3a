// reduce 00: plain C on the `cpu` device
//
// Idea     each block of the grid folds one contiguous chunk; a second launch folds the chunks' results.
// Change   none: it stands before the ladder. Floats are accumulated in double, i32 wraps.
// Expect   bound by the chain of dependent additions, four of which are kept going at a time.
#include <math.h>

#include "private.h"

enum { CHAINS = 4 };

double reduce_combine(kz_reduce_operation operation, kz_type type, double a, double b) {
    if (operation == KZ_REDUCE_SUM || operation == KZ_REDUCE_MEAN)
        return type == KZ_I32 ? (int32_t)((uint32_t)(int32_t)a + (uint32_t)(int32_t)b) : a + b;
    if (isnan(a) || isnan(b)) return NAN;
    return (operation == KZ_REDUCE_MIN) == (a < b) ? a : b;
}

double reduce_conclude(kz_reduce_operation operation, double value, uint64_t count) {
    return operation == KZ_REDUCE_MEAN ? value / (double)count : value;
}

static void partial(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const void *in = *(const void *const *)launch->args[0];
    double *partials = *(double *const *)launch->args[1];
    uint64_t n = *(const uint64_t *)launch->args[2];
    uint64_t chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t i = kz_min_u64(n, chunk * launch->block_index[0]);
    uint64_t end = kz_min_u64(n, i + chunk);
    double chain[CHAINS];
    for (int k = 0; k < CHAINS; k++) chain[k] = reduce_identity(operation, type);
    for (; i + CHAINS <= end; i += CHAINS)
        for (int k = 0; k < CHAINS; k++)
            chain[k] = reduce_combine(operation, type, chain[k], kz_element_get(type, in, i + k));
    for (; i < end; i++) chain[0] = reduce_combine(operation, type, chain[0], kz_element_get(type, in, i));
    for (int k = 1; k < CHAINS; k++) chain[0] = reduce_combine(operation, type, chain[0], chain[k]);
    partials[launch->block_index[0]] = chain[0];
}

static void finish(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const double *partials = *(const double *const *)launch->args[0];
    void *out = *(void *const *)launch->args[1];
    uint64_t count = *(const uint64_t *)launch->args[2], n = *(const uint64_t *)launch->args[3];
    double value = reduce_identity(operation, type);
    for (uint64_t i = 0; i < count; i++) value = reduce_combine(operation, type, value, partials[i]);
    kz_element_set(type, out, 0, reduce_conclude(operation, value, n));
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void partial_##operation##_##type(const kz_native_launch *launch) {                               \
        partial(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                                   \
    }                                                                                                        \
    static void finish_##operation##_##type(const kz_native_launch *launch) {                                \
        finish(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                                    \
    }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"reduce_native_" #operation "_" #type, partial_##operation##_##type},                                   \
        {"reduce_finish_" #operation "_" #type, finish_##operation##_##type},
#define FLOATS(X, operation, OPERATION)                                                                      \
    X(operation, OPERATION, f32, F32)                                                                        \
    X(operation, OPERATION, f64, F64)                                                                        \
    X(operation, OPERATION, f16, F16)                                                                        \
    X(operation, OPERATION, bf16, BF16)
#define ALL(X)                                                                                               \
    FLOATS(X, sum, SUM)                                                                                      \
    FLOATS(X, min, MIN)                                                                                      \
    FLOATS(X, max, MAX)                                                                                      \
    FLOATS(X, mean, MEAN)                                                                                    \
    X(sum, SUM, i32, I32)                                                                                    \
    X(min, MIN, i32, I32)                                                                                    \
    X(max, MAX, i32, I32)

ALL(ENTRY)

const kz_native_entry reduce_natives[] = {ALL(ROW){0}};

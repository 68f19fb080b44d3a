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
    const void *in = kz_native_pointer(launch, 0);
    double *partials = kz_native_pointer(launch, 1);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 2));
    uint64_t i = own.begin, end = own.end;
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
    const double *partials = kz_native_pointer(launch, 0);
    void *out = kz_native_pointer(launch, 1);
    uint64_t count = kz_native_u64(launch, 2), n = kz_native_u64(launch, 3);
    double value = reduce_identity(operation, type);
    for (uint64_t i = 0; i < count; i++) value = reduce_combine(operation, type, value, partials[i]);
    kz_element_set(type, out, 0, reduce_conclude(operation, value, n));
}

// argmin and argmax: a partial result is a value and its index, two doubles.
static void find_partial(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const void *in = kz_native_pointer(launch, 0);
    double *partials = (double *)kz_native_pointer(launch, 1) + 2 * launch->block_index[0];
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 2));
    int64_t index;
    partials[0] = reduce_find(operation, type, (reduce_slice){in, own.begin, own.end - own.begin, 1}, &index);
    partials[1] = index < 0 ? -1.0 : (double)(own.begin + (uint64_t)index);
}

// Chunks follow each other, and each has an element where n is not 0: the first of their extremes is the first of all.
static void find_finish(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const double *partials = kz_native_pointer(launch, 0);
    void *out = kz_native_pointer(launch, 1);
    int64_t *index = kz_native_pointer(launch, 2), best;
    uint64_t count = kz_native_u64(launch, 3);
    while (count > 1 && partials[2 * count - 1] < 0) count--; // the last chunks may be empty
    kz_element_set(type, out, 0,
                   reduce_find(operation, KZ_F64, (reduce_slice){partials, 0, count, 2}, &best));
    *index = (int64_t)partials[2 * best + 1];
}

#define FIND_ENTRY(operation, OPERATION, type, TYPE)                                                         \
    static void partial_##operation##_##type(const kz_native_launch *launch) {                               \
        find_partial(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                              \
    }                                                                                                        \
    static void finish_##operation##_##type(const kz_native_launch *launch) {                                \
        find_finish(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                               \
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

REDUCE_NATIVE_VALUES(ENTRY)
REDUCE_NATIVE_INDICES(FIND_ENTRY)

const kz_native_entry reduce_natives[] = {REDUCE_NATIVE_VALUES(ROW) REDUCE_NATIVE_INDICES(ROW){0}};

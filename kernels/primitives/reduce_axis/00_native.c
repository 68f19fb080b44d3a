// reduce_axis 00: plain C on the `cpu` device
//
// Idea     each block of the grid folds a run of neighbouring segments.
// Change   none: it stands before the ladder. Floats are accumulated in double, i32 wraps.
// Expect   bound by the chain of dependent additions.
#include "private.h"

static void fold_segments(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const void *in = kz_native_pointer(launch, 0);
    void *out = kz_native_pointer(launch, 1);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 2));
    uint64_t n = kz_native_u64(launch, 3), inner = kz_native_u64(launch, 4);
    for (uint64_t s = own.begin; s < own.end; s++) {
        double value = reduce_identity(operation, type);
        uint64_t first = s / inner * n * inner + s % inner;
        for (uint64_t k = 0; k < n; k++)
            value = reduce_combine(operation, type, value, kz_element_get(type, in, first + k * inner));
        kz_element_set(type, out, s, reduce_conclude(operation, value, n));
    }
}

// (in, out, segments, n, inner, index)
static void find_in_segments(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    const void *in = kz_native_pointer(launch, 0);
    void *out = kz_native_pointer(launch, 1);
    int64_t *index = kz_native_pointer(launch, 5);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 2));
    uint64_t n = kz_native_u64(launch, 3), inner = kz_native_u64(launch, 4);
    for (uint64_t s = own.begin; s < own.end; s++) {
        reduce_slice slice = {in, s / inner * n * inner + s % inner, n, inner};
        kz_element_set(type, out, s, reduce_find(operation, type, slice, &index[s]));
    }
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void fold_##operation##_##type(const kz_native_launch *launch) {                                  \
        fold_segments(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                             \
    }
#define FIND_ENTRY(operation, OPERATION, type, TYPE)                                                         \
    static void fold_##operation##_##type(const kz_native_launch *launch) {                                  \
        find_in_segments(launch, KZ_REDUCE_##OPERATION, KZ_##TYPE);                                          \
    }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"reduce_axis_native_" #operation "_" #type, fold_##operation##_##type},

REDUCE_NATIVE_VALUES(ENTRY)
REDUCE_NATIVE_INDICES(FIND_ENTRY)

const kz_native_entry reduce_axis_natives[] = {REDUCE_NATIVE_VALUES(ROW) REDUCE_NATIVE_INDICES(ROW){0}};

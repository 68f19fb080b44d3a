// histogram 00: plain C on the `cpu` device
//
// Idea     each block of the grid counts one contiguous chunk into counters of its own; a second launch adds
//          them up.
// Change   none: it stands before the ladder.
// Expect   bound by the bin's computation and by the round trip of a counter through the cache.
#include <string.h>

#include "private.h"

static void count_chunk(const kz_native_launch *launch, kz_histogram_operation operation, kz_type type) {
    const void *in = kz_native_pointer(launch, 0);
    uint32_t *all = kz_native_pointer(launch, 1);
    const void *levels = kz_native_pointer(launch, 2);
    uint64_t bins = kz_native_u64(launch, 4);
    double lower = histogram_limit(type, (int64_t)kz_native_u64(launch, 5));
    double upper = histogram_limit(type, (int64_t)kz_native_u64(launch, 6));
    uint32_t *counts = all + bins * launch->block_index[0];
    memset(counts, 0, bins * sizeof *counts);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 3));
    for (uint64_t i = own.begin; i < own.end; i++) {
        uint64_t bin =
            histogram_find(operation, type, bins, lower, upper, levels, kz_element_get(type, in, i));
        if (bin < bins) counts[bin]++;
    }
}

static void add_up(const kz_native_launch *launch) {
    const uint32_t *all = kz_native_pointer(launch, 0);
    uint32_t *out = kz_native_pointer(launch, 1);
    uint64_t bins = kz_native_u64(launch, 2), chunks = kz_native_u64(launch, 3);
    for (uint64_t b = 0; b < bins; b++) {
        uint32_t sum = 0;
        for (uint64_t k = 0; k < chunks; k++) sum += all[k * bins + b];
        out[b] = sum;
    }
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void count_##operation##_##type(const kz_native_launch *launch) {                                 \
        count_chunk(launch, KZ_HISTOGRAM_##OPERATION, KZ_##TYPE);                                            \
    }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"histogram_native_" #operation "_" #type, count_##operation##_##type},
#define TYPES(X, operation, OPERATION)                                                                       \
    X(operation, OPERATION, u8, U8)                                                                          \
    X(operation, OPERATION, u16, U16)                                                                        \
    X(operation, OPERATION, u32, U32)                                                                        \
    X(operation, OPERATION, f32, F32)

TYPES(ENTRY, even, EVEN)
TYPES(ENTRY, range, RANGE)

const kz_native_entry histogram_natives[] = {
    TYPES(ROW, even, EVEN) TYPES(ROW, range, RANGE){"histogram_add_up", add_up}, {0}};

// histogram 00: plain C on the `cpu` device
//
// Idea     each block of the grid counts one contiguous chunk into counters of its own; a second launch adds
//          them up.
// Change   none: it stands before the ladder.
// Expect   bound by the bin's computation and by the round trip of a counter through the cache.
#include <string.h>

#include "private.h"

// The arguments of both entries; which of them one uses is its own matter.
static uint64_t word_of(const kz_native_launch *launch, int i) { return *(const uint64_t *)launch->args[i]; }

static void count_chunk(const kz_native_launch *launch, kz_histogram_operation operation, kz_type type) {
    const void *in = *(const void *const *)launch->args[0];
    uint32_t *all = *(uint32_t *const *)launch->args[1];
    const void *levels = *(const void *const *)launch->args[2];
    uint64_t n = word_of(launch, 3), bins = word_of(launch, 4);
    double lower = histogram_limit(type, (int64_t)word_of(launch, 5));
    double upper = histogram_limit(type, (int64_t)word_of(launch, 6));
    uint32_t *counts = all + bins * launch->block_index[0];
    memset(counts, 0, bins * sizeof *counts);
    uint64_t chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t i = kz_min_u64(n, chunk * launch->block_index[0]), end = kz_min_u64(n, i + chunk);
    for (; i < end; i++) {
        uint64_t bin =
            histogram_find(operation, type, bins, lower, upper, levels, kz_element_get(type, in, i));
        if (bin < bins) counts[bin]++;
    }
}

static void add_up(const kz_native_launch *launch) {
    const uint32_t *all = *(const uint32_t *const *)launch->args[0];
    uint32_t *out = *(uint32_t *const *)launch->args[1];
    uint64_t bins = word_of(launch, 2), chunks = word_of(launch, 3);
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

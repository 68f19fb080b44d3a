// compact 00: plain C on the `cpu` device
//
// Idea     a chunk per core, counted first; then each core writes from the position that the counts before it say.
// Change   none: it stands before the ladder.
// Expect   two readings, one writing.
#include <string.h>

#include "private.h"

typedef struct chunk {
    const void *in;
    const uint8_t *flags;
    uint32_t *counts;
    uint64_t n, begin, end;
} chunk;

static chunk own_chunk(const kz_native_launch *launch) {
    uint64_t n = kz_native_u64(launch, 3);
    kz_share own = kz_native_share(launch, n);
    return (chunk){.in = kz_native_pointer(launch, 0),
                   .flags = kz_native_pointer(launch, 1),
                   .counts = kz_native_pointer(launch, 2),
                   .n = n,
                   .begin = own.begin,
                   .end = own.end};
}

static void count(const kz_native_launch *launch, uint32_t operation, kz_type type) {
    chunk own = own_chunk(launch);
    uint32_t selected = 0;
    for (uint64_t i = own.begin; i < own.end; i++)
        selected += compact_selects(operation, type, own.in, own.flags, i);
    own.counts[launch->block_index[0]] = selected;
}

static void compact(const kz_native_launch *launch, uint32_t operation, kz_type type) {
    chunk own = own_chunk(launch);
    char *out = kz_native_pointer(launch, 4);
    uint64_t size = kz_type_size(type), selected = 0;
    for (uint32_t b = 0; b < launch->block_index[0]; b++) selected += own.counts[b];
    for (uint64_t i = own.begin; i < own.end; i++) {
        bool is = compact_selects(operation, type, own.in, own.flags, i);
        uint64_t position = is ? selected : own.n - 1 - (i - selected);
        if (is || compact_partitions(operation))
            memcpy(out + position * size, (const char *)own.in + i * size, size);
        selected += is;
    }
    if (launch->block_index[0] == launch->grid[0] - 1)
        **(uint32_t *const *)launch->args[5] = (uint32_t)selected;
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void count_##operation##_##type(const kz_native_launch *launch) {                                 \
        count(launch, KZ_COMPACT_##OPERATION, KZ_##TYPE);                                                    \
    }                                                                                                        \
    static void compact_##operation##_##type(const kz_native_launch *launch) {                               \
        compact(launch, KZ_COMPACT_##OPERATION, KZ_##TYPE);                                                  \
    }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"compact_native_count_" #operation "_" #type, count_##operation##_##type},                              \
        {"compact_native_" #operation "_" #type, compact_##operation##_##type},
// As compact.cuh has them.
#define VALUES(X, operation, OPERATION)                                                                      \
    X(operation, OPERATION, f32, F32)                                                                        \
    X(operation, OPERATION, f64, F64)                                                                        \
    X(operation, OPERATION, i32, I32)                                                                        \
    X(operation, OPERATION, f16, F16)                                                                        \
    X(operation, OPERATION, u8, U8)
#define SIZES(X, operation, OPERATION)                                                                       \
    X(operation, OPERATION, u8, U8)                                                                          \
    X(operation, OPERATION, u16, U16)                                                                        \
    X(operation, OPERATION, u32, U32)                                                                        \
    X(operation, OPERATION, i64, I64)
#define ALL(X)                                                                                               \
    VALUES(X, select, SELECT)                                                                                \
    VALUES(X, partition, PARTITION)                                                                          \
    SIZES(X, select_flagged, SELECT_FLAGGED)                                                                 \
    SIZES(X, partition_flagged, PARTITION_FLAGGED)                                                           \
    SIZES(X, unique, UNIQUE)                                                                                 \
    X(unique, UNIQUE, f32, F32)                                                                              \
    X(unique, UNIQUE, f64, F64)                                                                              \
    X(unique, UNIQUE, f16, F16)                                                                              \
    X(unique, UNIQUE, bf16, BF16)

ALL(ENTRY)

const kz_native_entry compact_natives[] = {ALL(ROW){0}};

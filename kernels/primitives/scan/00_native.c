// scan 00: plain C on the `cpu` device
//
// Idea     a chunk per core, folded first; then each core begins with what lies before its chunk.
// Change   none: it stands before the ladder. Floats are accumulated in double and rounded once, integers wrap.
// Expect   two readings and one chain of dependent combinations per core.
#include "private.h"

typedef struct chunk {
    const void *in;
    const uint8_t *heads;
    scan_value *sums;
    uint64_t begin, end;
} chunk;

static chunk own_chunk(const kz_native_launch *launch, size_t n_at) {
    kz_share own = kz_native_share(launch, kz_native_u64(launch, n_at));
    return (chunk){.in = kz_native_pointer(launch, 0),
                   .heads = kz_native_pointer(launch, 1),
                   .sums = kz_native_pointer(launch, 2),
                   .begin = own.begin,
                   .end = own.end};
}

static void reduce(const kz_native_launch *launch, kz_scan_function function, kz_type type) {
    chunk own = own_chunk(launch, 3);
    scan_value v = scan_identity(function, type);
    for (uint64_t i = own.begin; i < own.end; i++)
        v = scan_combine(function, type, v, scan_element(function, type, own.in, own.heads, i));
    own.sums[launch->block_index[0]] = v;
}

static void put(kz_scan_function function, kz_type type, void *out, uint64_t i, scan_value v) {
    uint64_t numbers = function == KZ_SCAN_AFFINE ? 2 : 1;
    for (uint64_t k = 0; k < numbers; k++) {
        if (type == KZ_I64)
            ((int64_t *)out)[i * numbers + k] = v.i[k];
        else
            kz_element_set(type, out, i * numbers + k, scan_whole(type) ? (double)v.i[k] : v.x[k]);
    }
}

static void scan(const kz_native_launch *launch, kz_scan_function function, kz_type type) {
    chunk own = own_chunk(launch, 4);
    void *out = kz_native_pointer(launch, 3);
    bool exclusive = kz_native_u64(launch, 5) != 0;
    scan_value v = scan_identity(function, type);
    for (uint32_t b = 0; b < launch->block_index[0]; b++) v = scan_combine(function, type, v, own.sums[b]);
    for (uint64_t i = own.begin; i < own.end; i++) {
        scan_value element = scan_element(function, type, own.in, own.heads, i);
        put(function, type, out, i, scan_result(function, type, v, element, exclusive));
        v = scan_combine(function, type, v, element);
    }
}

#define ENTRY(function, FUNCTION, type, TYPE)                                                                \
    static void reduce_##function##_##type(const kz_native_launch *launch) {                                 \
        reduce(launch, KZ_SCAN_##FUNCTION, KZ_##TYPE);                                                       \
    }                                                                                                        \
    static void scan_##function##_##type(const kz_native_launch *launch) {                                   \
        scan(launch, KZ_SCAN_##FUNCTION, KZ_##TYPE);                                                         \
    }
#define ROW(function, FUNCTION, type, TYPE)                                                                  \
    {"scan_native_reduce_" #function "_" #type, reduce_##function##_##type},                                 \
        {"scan_native_" #function "_" #type, scan_##function##_##type},
// As scan.cuh has them: u32 only where i32 would be wrong.
#define TYPES(X, function, FUNCTION)                                                                         \
    X(function, FUNCTION, f32, F32)                                                                          \
    X(function, FUNCTION, i32, I32)
#define WIDE_TYPES(X, function, FUNCTION)                                                                    \
    TYPES(X, function, FUNCTION)                                                                             \
    X(function, FUNCTION, f64, F64)                                                                          \
    X(function, FUNCTION, i64, I64)
#define ALL_TYPES(X, function, FUNCTION)                                                                     \
    WIDE_TYPES(X, function, FUNCTION)                                                                        \
    X(function, FUNCTION, f16, F16)                                                                          \
    X(function, FUNCTION, bf16, BF16)
#define ALL(X)                                                                                               \
    ALL_TYPES(X, sum, SUM)                                                                                   \
    ALL_TYPES(X, min, MIN)                                                                                   \
    X(min, MIN, u32, U32)                                                                                    \
    ALL_TYPES(X, max, MAX)                                                                                   \
    X(max, MAX, u32, U32)                                                                                    \
    TYPES(X, affine, AFFINE)                                                                                 \
    WIDE_TYPES(X, segmented_sum, SEGMENTED_SUM)                                                              \
    TYPES(X, segmented_min, SEGMENTED_MIN)                                                                   \
    X(segmented_min, SEGMENTED_MIN, u32, U32)                                                                \
    TYPES(X, segmented_max, SEGMENTED_MAX)                                                                   \
    X(segmented_max, SEGMENTED_MAX, u32, U32)

ALL(ENTRY)

const kz_native_entry scan_natives[] = {ALL(ROW){0}};

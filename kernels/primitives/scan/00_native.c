// scan 00: plain C on the `cpu` device
//
// Idea     a chunk per core, folded first; then each core begins with what lies before its chunk.
// Change   none: it stands before the ladder. Floats are accumulated in double and rounded once, i32 wraps.
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
    if (function != KZ_SCAN_AFFINE) {
        kz_element_set(type, out, i, v.x);
        return;
    }
    kz_element_set(type, out, 2 * i, v.x);
    kz_element_set(type, out, 2 * i + 1, v.y);
}

static void scan(const kz_native_launch *launch, kz_scan_function function, kz_type type) {
    chunk own = own_chunk(launch, 4);
    void *out = kz_native_pointer(launch, 3);
    bool exclusive = kz_native_u64(launch, 5) != 0;
    scan_value identity = scan_identity(function, type), v = identity;
    for (uint32_t b = 0; b < launch->block_index[0]; b++) v = scan_combine(function, type, v, own.sums[b]);
    for (uint64_t i = own.begin; i < own.end; i++) {
        scan_value element = scan_element(function, type, own.in, own.heads, i);
        scan_value next = scan_combine(function, type, v, element);
        bool head = function == KZ_SCAN_SEGMENTED_SUM && element.y != 0;
        put(function, type, out, i, !exclusive ? next : head ? identity : v);
        v = next;
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
#define TYPES(X, function, FUNCTION)                                                                         \
    X(function, FUNCTION, f32, F32)                                                                          \
    X(function, FUNCTION, i32, I32)
#define ALL_TYPES(X, function, FUNCTION)                                                                     \
    TYPES(X, function, FUNCTION)                                                                             \
    X(function, FUNCTION, f64, F64)                                                                          \
    X(function, FUNCTION, f16, F16)                                                                          \
    X(function, FUNCTION, bf16, BF16)
#define ALL(X)                                                                                               \
    ALL_TYPES(X, sum, SUM)                                                                                   \
    ALL_TYPES(X, min, MIN)                                                                                   \
    ALL_TYPES(X, max, MAX)                                                                                   \
    TYPES(X, affine, AFFINE)                                                                                 \
    TYPES(X, segmented_sum, SEGMENTED_SUM)

ALL(ENTRY)

const kz_native_entry scan_natives[] = {ALL(ROW){0}};

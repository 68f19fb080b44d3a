// What the C files of compact share.
#ifndef COMPACT_PRIVATE_H
#define COMPACT_PRIVATE_H

#include "compact.h"
#include "kz/family.h"

enum { IN, OUT, COUNT, FLAGS }; // the buffers, in order; flags where the operation has some
enum { AXIS_N, AXIS_PERCENT };

KZ_DECLARE_FAMILY(compact);
extern const kz_native_entry compact_natives[];

static inline bool compact_flagged(uint32_t operation) {
    return operation == KZ_COMPACT_SELECT_FLAGGED || operation == KZ_COMPACT_PARTITION_FLAGGED;
}
static inline bool compact_partitions(uint32_t operation) {
    return operation == KZ_COMPACT_PARTITION || operation == KZ_COMPACT_PARTITION_FLAGGED;
}

static inline bool compact_real(kz_type type) {
    return type == KZ_F32 || type == KZ_F64 || type == KZ_F16 || type == KZ_BF16;
}
// By value there are f32, f64, i32, f16 and u8; flags and runs do for every type.
static inline bool compact_by_value(uint32_t operation) {
    return operation == KZ_COMPACT_SELECT || operation == KZ_COMPACT_PARTITION;
}

// Whether element i is selected.
bool compact_selects(uint32_t operation, kz_type type, const void *in, const uint8_t *flags, uint64_t i);

bool compact_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host);
kz_status compact_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif

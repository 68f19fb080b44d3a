// Kernel Zoo, an operation: brings the selected ones of n elements together.
//
//     kz_operation *select;
//     kz_compact_open(device, KZ_COMPACT_SELECT_FLAGGED, KZ_F32, n, NULL, &select, &error);
//     uint64_t bytes = kz_operation_workspace(select); // the caller's: kz_memory_alloc, any content
//     kz_compact_run(select, NULL, in, flags, out, count, workspace, bytes, &error);
//     kz_operation_close(select);
//
// Types: all, by flags and for runs; KZ_F32, KZ_F64, KZ_I32, KZ_F16, KZ_U8 by value. n is below 2^32, `out` has room
// for n, `count` is one u32: how many are selected. They keep their order. What lies behind them in `out` is not
// written, or, by a partition, is the rest from the end backwards: the last one that is not selected comes first.
// Elements are copied bit by bit, the result is the same in every run. Arrays must not overlap.
#ifndef KZ_OPS_COMPACT_H
#define KZ_OPS_COMPACT_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// By value: those above 0 (u8: above 127), and so not NaN; any other condition comes as flags. FLAGGED: a byte for
// each element, selected where it is not 0. UNIQUE: an element that differs from the one before it, and the
// first; NaN differs from all, -0 does not differ from 0.
typedef enum kz_compact_operation {
    KZ_COMPACT_SELECT,
    KZ_COMPACT_SELECT_FLAGGED,
    KZ_COMPACT_PARTITION,
    KZ_COMPACT_PARTITION_FLAGGED,
    KZ_COMPACT_UNIQUE,
    KZ_COMPACT_OPERATIONS
} kz_compact_operation;

// `variant` NULL takes the best known for device, type and size; a name ("05_epoch_flags") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_compact_open(kz_device *device, kz_compact_operation which, kz_type type, size_t n,
                                 const char *variant, kz_operation **operation, kz_error *error);
// `flags` where the operation is FLAGGED, 0 elsewhere. One run of an operation at a time.
KZ_API kz_status kz_compact_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr flags,
                                kz_ptr out, kz_ptr count, kz_ptr workspace, uint64_t workspace_bytes,
                                kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

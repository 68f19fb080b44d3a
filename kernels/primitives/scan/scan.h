// Kernel Zoo, an operation: out[i] is the combination of in[0] to in[i], or of those before in[i].
//
//     kz_operation *scan;
//     kz_scan_open(device, KZ_SCAN_SUM, KZ_SCAN_INCLUSIVE, KZ_F32, n, NULL, &scan, &error);
//     uint64_t bytes = kz_operation_workspace(scan); // the caller's: kz_memory_alloc, any content
//     kz_scan_run(scan, NULL, in, out, 0, workspace, bytes, &error);
//     kz_operation_close(scan);
//
// SUM, MIN, MAX: KZ_F32, KZ_F64, KZ_F16, KZ_BF16, KZ_I32, KZ_U32, KZ_I64. Half types are combined in float, and each
// result is rounded once; sums of integers wrap (a u64's are an i64's); from a NaN on, all results are NaN. AFFINE:
// in[i] is a map x -> a x + b, two numbers of KZ_F32, KZ_I32 or KZ_U32 beside each other, n maps at a multiple of 8;
// out[i] is the map of doing them in order. SEGMENTED_: f32, i32, u32 (SUM: f64, i64 too); heads[i] is a byte, and
// where it is not 0 all begins anew. Before everything lies 0, the type's largest or +Inf (min), its least or -Inf (max),
// x -> x. Arrays must not overlap. One run at a time (07, 08). Operations of your own: kz/device/scan.cuh.
#ifndef KZ_OPS_SCAN_H
#define KZ_OPS_SCAN_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_scan_function {
    KZ_SCAN_SUM,
    KZ_SCAN_MIN,
    KZ_SCAN_MAX,
    KZ_SCAN_AFFINE,
    KZ_SCAN_SEGMENTED_SUM, // SUM, MIN, MAX from head to head, in their order
    KZ_SCAN_SEGMENTED_MIN,
    KZ_SCAN_SEGMENTED_MAX,
    KZ_SCAN_FUNCTIONS
} kz_scan_function;

typedef enum kz_scan_kind { KZ_SCAN_INCLUSIVE, KZ_SCAN_EXCLUSIVE } kz_scan_kind;

// `variant` NULL takes the best known for device, type and size; a name ("06_look_back") overrides it.
// KZ_DETERMINISTIC takes one that rounds in the same order in every run, which floats care about.
KZ_API kz_status kz_scan_open(kz_device *device, kz_scan_function function, kz_scan_kind kind, kz_type type,
                              size_t n, const char *variant, kz_operation **operation, kz_error *error);
// `heads` for a segmented scan alone.
KZ_API kz_status kz_scan_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr heads,
                             kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: out[i] is the combination of in[0] to in[i], or of those before in[i].
//
//     kz_operation *scan;
//     kz_scan_open(device, KZ_SCAN_SUM, KZ_SCAN_INCLUSIVE, KZ_F32, n, NULL, &scan, &error);
//     uint64_t bytes = kz_operation_workspace(scan); // the caller's: kz_memory_alloc, any content
//     kz_scan_run(scan, NULL, in, out, 0, workspace, bytes, &error);
//     kz_operation_close(scan);
//
// SUM, MIN, MAX: KZ_F32, KZ_F64, KZ_I32, KZ_F16, KZ_BF16. Half types are combined in float, and each result
// is rounded once; i32 sums wrap modulo 2^32; from a NaN on, all results are NaN. AFFINE: in[i] is a map
// x -> a x + b, as two numbers of KZ_F32 or KZ_I32 (modulo 2^32) beside each other, n maps at an address that
// is a multiple of 8; out[i] is the map of doing them in order. SEGMENTED_SUM: KZ_F32, KZ_I32; heads[i] is a
// byte, and where it is not 0 the sum begins anew. Before everything lies 0, +Inf or INT32_MAX (min), -Inf or
// INT32_MIN (max), the map x -> x. Arrays must not overlap. One run of an operation at a time (07, 08).
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
    KZ_SCAN_SEGMENTED_SUM,
    KZ_SCAN_FUNCTIONS
} kz_scan_function;

typedef enum kz_scan_kind { KZ_SCAN_INCLUSIVE, KZ_SCAN_EXCLUSIVE } kz_scan_kind;

// `variant` NULL takes the best known for device, type and size; a name ("06_look_back") overrides it.
kz_status kz_scan_open(kz_device *device, kz_scan_function function, kz_scan_kind kind, kz_type type,
                       size_t n, const char *variant, kz_operation **operation, kz_error *error);
// `heads` for a segmented scan alone.
kz_status kz_scan_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr heads,
                      kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

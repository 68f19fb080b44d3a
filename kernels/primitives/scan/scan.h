// Kernel Zoo, an operation: prefix sums and their kin. An inclusive scan combines in[0] to in[i] into out[i], an
// exclusive scan in[0] to in[i - 1]; its out[0] is the identity.
//
//     kz_operation *scan;
//     kz_scan_open(device, KZ_SCAN_SUM, KZ_SCAN_INCLUSIVE, KZ_F32, n, NULL, &scan, &error);
//     uint64_t bytes = kz_operation_workspace(scan); // the caller's: kz_memory_alloc, any content
//     kz_scan_run(scan, NULL, in, out, 0, workspace, bytes, &error);
//     kz_operation_close(scan);
//
// | function | types | identity |
// |---|---|---|
// | `SUM` | f32, f64, f16, bf16, i32, u32, i64 | 0 |
// | `MIN` | the same | +Inf, or the type's largest integer |
// | `MAX` | the same | -Inf, or the type's smallest integer |
// | `AFFINE` | f32, i32, u32 | the map x -> x |
// | `SEGMENTED_SUM` | f32, f64, i32, u32, i64 | 0 |
// | `SEGMENTED_MIN`, `SEGMENTED_MAX` | f32, i32, u32 | as `MIN`, `MAX` |
//
// Half types are combined in float, and each result is rounded once. Integer sums wrap around, so KZ_I64 also sums
// unsigned numbers of 64 bits. A result is NaN if an element that it combines is NaN.
//
// AFFINE: an element is a map x -> a x + b, stored as a and then b; `in` and `out` begin at a multiple of 8 bytes. out[i]
// is the map that applies the combined maps one after the other, in[0] first.
//
// SEGMENTED: heads has a byte per element. Where it is not 0, a segment begins, and the scan starts again from the
// identity.
//
// The arrays must not overlap. kz/device/scan.cuh makes a kernel for an operation of your own.
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
    KZ_SCAN_SEGMENTED_MIN,
    KZ_SCAN_SEGMENTED_MAX,
    KZ_SCAN_FUNCTIONS
} kz_scan_function;

typedef enum kz_scan_kind { KZ_SCAN_INCLUSIVE, KZ_SCAN_EXCLUSIVE } kz_scan_kind;

// `variant` NULL takes the best known for device, type and size; a name ("06_look_back") overrides it.
// KZ_DETERMINISTIC takes one that rounds in the same order in every run: the bits of a float sum depend on it.
KZ_API kz_status kz_scan_open(kz_device *device, kz_scan_function function, kz_scan_kind kind, kz_type type,
                              size_t n, const char *variant, kz_operation **operation, kz_error *error);
// `heads` is for segmented scans; otherwise pass 0.
KZ_API kz_status kz_scan_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr heads,
                             kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

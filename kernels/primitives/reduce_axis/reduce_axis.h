// Kernel Zoo, an operation: reduces the middle axis of an outer x n x inner tensor: its sum, minimum, maximum or mean, or
// the index of the minimum or maximum.
//
//     kz_operation *operation;
//     kz_reduce_axis_open(device, KZ_REDUCE_SUM, KZ_F32, outer, n, inner, NULL, &operation, &error);
//     uint64_t bytes = kz_operation_workspace(operation); // the caller's: kz_memory_alloc, any content
//     kz_reduce_axis_run(operation, NULL, in, out, workspace, bytes, &error);
//     kz_operation_close(operation);
//
// `in` is row-major; out[o * inner + i] is the reduction of in[(o * n + k) * inner + i] over k. inner = 1: rows,
// or segments of one size. outer = 1: columns. Axis a of any tensor: outer is the product of the axes before
// it, inner of those after. Types: KZ_F32, KZ_F64, KZ_I32 (no mean), KZ_F16, KZ_BF16; kz/reduce_operation.h
// has the operations and their edge cases. All variants give the same bits in every run.
#ifndef KZ_OPS_REDUCE_AXIS_H
#define KZ_OPS_REDUCE_AXIS_H

#include "kz/operation.h"
#include "kz/reduce_operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_thread") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_reduce_axis_open(kz_device *device, kz_reduce_operation function, kz_type type,
                                     size_t outer, size_t n, size_t inner, const char *variant,
                                     kz_operation **operation, kz_error *error);
KZ_API kz_status kz_reduce_axis_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                    kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);
// For ARGMIN and ARGMAX: writes the values to out and their indices along the axis, each a KZ_I64, to index.
KZ_API kz_status kz_reduce_axis_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                          kz_ptr index, kz_ptr workspace, uint64_t workspace_bytes,
                                          kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: the sum, minimum, maximum or mean of each of many segments, or the index of its minimum or
// maximum. Offsets say where segments begin.
//
//     kz_operation *operation;
//     kz_reduce_segments_open(device, KZ_REDUCE_SUM, KZ_F32, n, segments, NULL, &operation, &error);
//     uint64_t bytes = kz_operation_workspace(operation); // the caller's: kz_memory_alloc, any content
//     kz_reduce_segments_run(operation, NULL, in, offsets, out, workspace, bytes, &error);
//     kz_operation_close(operation);
//
// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. `offsets` are segments + 1 unsigned numbers of 32
// bits that never fall, the first 0 and the last n. Types: KZ_F32, KZ_F64, KZ_I32 (no mean), KZ_F16, KZ_BF16;
// kz/reduce_operation.h has the operations and their edge cases. All variants give the same bits in every run. Where segments are of one
// size, kz/ops/reduce_axis.h is faster.
#ifndef KZ_OPS_REDUCE_SEGMENTS_H
#define KZ_OPS_REDUCE_SEGMENTS_H

#include "kz/operation.h"
#include "kz/reduce_operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_thread") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_reduce_segments_open(kz_device *device, kz_reduce_operation function, kz_type type,
                                         size_t n, size_t segments, const char *variant,
                                         kz_operation **operation, kz_error *error);
KZ_API kz_status kz_reduce_segments_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr offsets,
                                        kz_ptr out, kz_ptr workspace, uint64_t workspace_bytes,
                                        kz_error *error);
// For ARGMIN and ARGMAX: writes the values to out and their indices, each a KZ_I64 that counts from the segment's first
// element, to index.
KZ_API kz_status kz_reduce_segments_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in,
                                              kz_ptr offsets, kz_ptr out, kz_ptr index, kz_ptr workspace,
                                              uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

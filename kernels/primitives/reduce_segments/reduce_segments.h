// Kernel Zoo, an operation: sum, greatest or mean of each of many segments, which offsets describe.
//
//     kz_operation *operation;
//     kz_reduce_segments_open(device, KZ_REDUCE_SEGMENTS_SUM, KZ_F32, n, segments, NULL, &operation, &error);
//     uint64_t bytes = kz_operation_workspace(operation); // the caller's: kz_memory_alloc, any content
//     kz_reduce_segments_run(operation, NULL, in, offsets, out, workspace, bytes, &error);
//     kz_operation_close(operation);
//
// Segment s is in[offsets[s]] to in[offsets[s + 1] - 1]. `offsets` are segments + 1 unsigned numbers of 32 bits that
// never fall, the first 0 and the last n. Types: KZ_F32, KZ_F64, KZ_I32 (no mean), KZ_F16, KZ_BF16; f16 and bf16
// are accumulated in float and rounded once; i32 sums wrap. The greatest of a segment with NaN is NaN. Of an empty
// segment: 0, -Inf (INT32_MIN), NaN. All variants give the same bits in every run. Where segments are of one size,
// kz/ops/reduce_axis.h is faster.
#ifndef KZ_OPS_REDUCE_SEGMENTS_H
#define KZ_OPS_REDUCE_SEGMENTS_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_reduce_segments_operation {
    KZ_REDUCE_SEGMENTS_SUM,
    KZ_REDUCE_SEGMENTS_MAX,
    KZ_REDUCE_SEGMENTS_MEAN,
    KZ_REDUCE_SEGMENTS_COUNT
} kz_reduce_segments_operation;

// `variant` NULL takes the best known for device, type and size; a name ("01_thread") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
kz_status kz_reduce_segments_open(kz_device *device, kz_reduce_segments_operation function, kz_type type,
                                  size_t n, size_t segments, const char *variant, kz_operation **operation,
                                  kz_error *error);
kz_status kz_reduce_segments_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr offsets,
                                 kz_ptr out, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

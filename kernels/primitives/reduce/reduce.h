// Kernel Zoo, an operation: the sum, minimum, maximum or mean of n elements, or the index of the minimum or maximum.
//
//     kz_operation *reduce;
//     kz_reduce_open(device, KZ_REDUCE_SUM, KZ_F32, n, NULL, &reduce, &error);
//     uint64_t bytes = kz_operation_workspace(reduce); // the caller's: kz_memory_alloc, any content
//     kz_reduce_run(reduce, NULL, in, out, workspace, bytes, &error);
//     kz_operation_close(reduce);
//
// Types: KZ_F32, KZ_F64, KZ_I32 (no mean), KZ_F16, KZ_BF16; *out has the type of the elements. kz/reduce_operation.h
// has the operations and their edge cases.
//
// With `variant` NULL, the result has the same bits in every run on one GPU. The variants 01 to 06 add floats with
// atomics: the order of the additions, and so the last bits of a sum, may change from run to run, and the atomics take
// denormals as zero. 07 to 09 add in one order and keep denormals.
#ifndef KZ_OPS_REDUCE_H
#define KZ_OPS_REDUCE_H

#include "kz/operation.h"
#include "kz/reduce_operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_atomic") overrides it.
// KZ_DETERMINISTIC takes the best of those that add in the same order in every run: the bits of a float sum depend on it.
KZ_API kz_status kz_reduce_open(kz_device *device, kz_reduce_operation function, kz_type type, size_t n,
                                const char *variant, kz_operation **operation, kz_error *error);
// For ARGMIN and ARGMAX: writes the value to *out and its index, a KZ_I64, to *index.
KZ_API kz_status kz_reduce_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                     kz_ptr index, kz_ptr workspace, uint64_t workspace_bytes,
                                     kz_error *error);
// For all other operations.
KZ_API kz_status kz_reduce_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                               kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

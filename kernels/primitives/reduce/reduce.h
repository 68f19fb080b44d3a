// Kernel Zoo, an operation: the sum, the least, the greatest or the mean of n elements, and where the least
// or the greatest stands.
//
//     kz_operation *reduce;
//     kz_reduce_open(device, KZ_REDUCE_SUM, KZ_F32, n, NULL, &reduce, &error);
//     uint64_t bytes = kz_operation_workspace(reduce); // the caller's: kz_memory_alloc, any content
//     kz_reduce_run(reduce, NULL, in, out, workspace, bytes, &error);
//     kz_operation_close(reduce);
//
// Types: KZ_F32, KZ_F64, KZ_I32, KZ_F16, KZ_BF16; *out is of the same type (kz/reduce_operation.h has what is
// true of every fold). What is taken by itself gives the same bits in every run on one GPU. 01 to 06 do not
// for sums of floats: they add by atomics, and take denormals as zero there, as the hardware does; 07 to 09
// keep them.
#ifndef KZ_OPS_REDUCE_H
#define KZ_OPS_REDUCE_H

#include "kz/operation.h"
#include "kz/reduce_operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_atomic") overrides it.
// KZ_DETERMINISTIC takes the best of those that add in the same order in every run, which sums of floats care
// about.
KZ_API kz_status kz_reduce_open(kz_device *device, kz_reduce_operation function, kz_type type, size_t n,
                                const char *variant, kz_operation **operation, kz_error *error);
// ARGMIN and ARGMAX: the value, and in *index (a KZ_I64) where it stands.
KZ_API kz_status kz_reduce_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                     kz_ptr index, kz_ptr workspace, uint64_t workspace_bytes,
                                     kz_error *error);
// All the others.
KZ_API kz_status kz_reduce_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                               kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

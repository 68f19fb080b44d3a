// Kernel Zoo, an operation: the sum, the least, the greatest or the mean of n elements, and where the least or the
// greatest stands.
//
//     kz_operation *reduce;
//     kz_reduce_open(device, KZ_REDUCE_SUM, KZ_F32, n, NULL, &reduce, &error);
//     uint64_t bytes = kz_operation_workspace(reduce); // the caller's: kz_memory_alloc, any content
//     kz_reduce_run(reduce, NULL, in, out, workspace, bytes, &error);
//     kz_operation_close(reduce);
//
// Types: KZ_F32, KZ_F64, KZ_I32, KZ_F16, KZ_BF16; *out is of the same type. f16 and bf16 sums are accumulated
// in float and rounded once; i32 sums wrap modulo 2^32. min and max give NaN where any element is NaN. Of no
// elements the sum is 0, the least +Inf (INT32_MAX), the greatest -Inf (INT32_MIN), the mean NaN. There is no
// mean of i32. What is taken by itself gives the same bits in every run on one GPU. 01 to 06 do not for sums of floats:
// they add by atomics, and take denormals as zero there, as the hardware does; 07 to 09 keep them.
#ifndef KZ_OPS_REDUCE_H
#define KZ_OPS_REDUCE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_reduce_operation {
    KZ_REDUCE_SUM,
    KZ_REDUCE_MIN,
    KZ_REDUCE_MAX,
    KZ_REDUCE_MEAN,
    KZ_REDUCE_ARGMIN,
    KZ_REDUCE_ARGMAX,
    KZ_REDUCE_COUNT
} kz_reduce_operation;

// `variant` NULL takes the best known for device, type and size; a name ("01_atomic") overrides it.
// KZ_DETERMINISTIC takes the best of those that add in the same order in every run, which sums of floats care
// about.
kz_status kz_reduce_open(kz_device *device, kz_reduce_operation function, kz_type type, size_t n,
                         const char *variant, kz_operation **operation, kz_error *error);
// ARGMIN and ARGMAX: the value, and in *index (a KZ_I64) where it stands. Among equals the least index; NaN counts as
// the extreme, and the first one wins; of no elements the index is -1.
kz_status kz_reduce_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr index,
                              kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);
// All the others.
kz_status kz_reduce_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr workspace,
                        uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

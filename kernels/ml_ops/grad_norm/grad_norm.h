// Kernel Zoo, an operation: the 2-norm of all gradients of a model, and what they are multiplied by so that it is no more than a bound.
//
//     kz_operation *norm;
//     kz_grad_norm_open(device, KZ_BF16, max_norm, n, tensors, chunks, NULL, &norm, &error);
//     uint64_t bytes = kz_operation_workspace(norm); // the caller's: kz_memory_alloc, any content
//     kz_grad_norm_run(norm, NULL, gradients, table, list, 0, value, coefficient, not_finite, workspace, bytes, &error);
//     kz_operation_close(norm);
//
// kz/parameters.h makes the table, of which `count` and `gradients` are used, and the list of chunks. Types: KZ_F32, KZ_F16,
// KZ_BF16. Squares are added in float. All results are written on the device, and the host waits for nothing:
//
//     norm         float: sqrt(sum of squares) * scale
//     coefficient  float: min(1, max_norm / (norm + 1e-6)) * scale
//     not_finite   uint32_t: 1 where the norm is infinite or NaN, else 0
//
// `scale` is a float in device memory, or 0 for 1: where a loss was multiplied by s before its gradients were taken, it is 1 / s,
// and the norm is that of the gradients proper. kz/ops/adamw.h takes `coefficient` as its scale and `not_finite` as its skip;
// the second operation here multiplies the gradients in place instead. An infinite gradient makes the norm infinite
// and the coefficient 0, NaN makes both NaN. So do squares whose sum is past float's largest: a norm past 1.8e19.
#ifndef KZ_OPS_GRAD_NORM_H
#define KZ_OPS_GRAD_NORM_H

#include "kz/operation.h"
#include "kz/parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

// n elements in all tensors together, and as many chunks as kz_parameters_chunks says. max_norm is above 0. `variant` NULL takes
// the best known for device, type and size; a name ("02_vector") overrides it. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_grad_norm_open(kz_device *device, kz_type type, float max_norm, size_t n, size_t tensors,
                                   size_t chunks, const char *variant, kz_operation **operation,
                                   kz_error *error);
KZ_API kz_status kz_grad_norm_run(kz_operation *operation, kz_stream *stream, kz_ptr gradients,
                                  kz_ptr parameters, kz_ptr chunks, kz_ptr scale, kz_ptr norm,
                                  kz_ptr coefficient, kz_ptr not_finite, kz_ptr workspace,
                                  uint64_t workspace_bytes, kz_error *error);

// The second operation: every gradient times *coefficient, in place, rounded once. Where that is 1, nothing is read or written.
// It needs no workspace.
KZ_API kz_status kz_grad_norm_open_clip(kz_device *device, kz_type type, size_t n, size_t tensors,
                                        size_t chunks, const char *variant, kz_operation **operation,
                                        kz_error *error);
KZ_API kz_status kz_grad_norm_run_clip(kz_operation *operation, kz_stream *stream, kz_ptr gradients,
                                       kz_ptr parameters, kz_ptr chunks, kz_ptr coefficient, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

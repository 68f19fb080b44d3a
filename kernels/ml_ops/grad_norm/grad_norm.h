// Kernel Zoo, an operation: y = grad_norm(x).
//
//     kz_operation *operation;
//     kz_grad_norm_open(device, KZ_F32, n, NULL, &operation, &error);
//     kz_grad_norm_run(operation, NULL, x, y, &error); // as often as one likes; needs no workspace
//     kz_operation_close(operation);
//
// Types: KZ_F32. kz_operation_variant says which variant was taken.
#ifndef KZ_OPS_GRAD_NORM_H
#define KZ_OPS_GRAD_NORM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_naive") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_grad_norm_open(kz_device *device, kz_type type, size_t n, const char *variant,
                                   kz_operation **operation, kz_error *error);
KZ_API kz_status kz_grad_norm_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y,
                                  kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

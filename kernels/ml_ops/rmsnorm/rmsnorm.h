// Kernel Zoo, an operation: each row divided by the root of its mean square, times a weight per column.
//
//     kz_operation *rmsnorm;
//     kz_rmsnorm_open(device, KZ_F16, rows, columns, 1e-6f, NULL, &rmsnorm, &error);
//     kz_rmsnorm_run(rmsnorm, NULL, x, weight, y, &error); // as often as one likes; needs no workspace
//     kz_operation_close(rmsnorm);
//
// y[r][c] = x[r][c] * weight[c] / sqrt(mean of x[r][.]^2 + epsilon), all row-major. Types: KZ_F32, KZ_F16, KZ_BF16, the
// same for all three arrays; arithmetic is float, and each result is rounded once. Squares are added in float: a row
// of f32 whose squares pass 3.4e38 gives zeros. y may be x itself; partial overlap is not allowed.
#ifndef KZ_OPS_RMSNORM_H
#define KZ_OPS_RMSNORM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("02_block") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_rmsnorm_open(kz_device *device, kz_type type, size_t rows, size_t columns, float epsilon,
                                 const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_rmsnorm_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr weight, kz_ptr y,
                                kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

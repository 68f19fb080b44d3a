// Kernel Zoo, an operation: each row divided by the root of its mean square, times a weight per column.
//
//     kz_operation *rmsnorm;
//     kz_rmsnorm_open(device, KZ_F16, rows, columns, 1e-6f, NULL, &rmsnorm, &error);
//     kz_rmsnorm_run(rmsnorm, NULL, x, weight, y, &error); // as often as one likes; needs no workspace
//     kz_operation_close(rmsnorm);
//
// y[r][c] = x[r][c] * weight[c] / sqrt(mean of x[r][.]^2 + epsilon), all row-major. Types: KZ_F32, KZ_F16, KZ_BF16, the
// same for all three arrays; arithmetic is float, and each result is rounded once. Squares are added in float: a row
// of f32 whose squares pass 3.4e38 gives zeros. y may be x itself; no other two buffers may overlap. With h the row over the
// root, kz_rmsnorm_open_function opens this (FORWARD) and more:
//     RESIDUAL  sum = x + residual, added as floats, rounded to the type and written; y is of sum. sum may be x or residual
//     FP8       y = h weight scale[0] as e4m3, a byte each: to nearest, ties to even, beyond 448 to 448; NaN is 0x7f. scale
//               is a float on the device
//     BACKWARD  dx, and dweight as sums over all rows, from dy, x and weight. The root is found again: x is read anyway
#ifndef KZ_OPS_RMSNORM_H
#define KZ_OPS_RMSNORM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_rmsnorm {
    KZ_RMSNORM_FORWARD,
    KZ_RMSNORM_RESIDUAL,
    KZ_RMSNORM_FP8,
    KZ_RMSNORM_BACKWARD,
    KZ_RMSNORM_COUNT
} kz_rmsnorm;

// `variant` NULL takes the best known for device, type and size; a name ("02_block") overrides it. epsilon is finite, and 0
// or more. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_rmsnorm_open(kz_device *device, kz_type type, size_t rows, size_t columns, float epsilon,
                                 const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_rmsnorm_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr weight, kz_ptr y,
                                kz_error *error);

// All but 02_block's BACKWARD have the same bits in every run. BACKWARD needs kz_operation_workspace's bytes.
KZ_API kz_status kz_rmsnorm_open_function(kz_device *device, kz_rmsnorm function, kz_type type, size_t rows,
                                          size_t columns, float epsilon, const char *variant,
                                          kz_operation **operation, kz_error *error);
KZ_API kz_status kz_rmsnorm_run_residual(kz_operation *operation, kz_stream *stream, kz_ptr x,
                                         kz_ptr residual, kz_ptr weight, kz_ptr sum, kz_ptr y,
                                         kz_error *error);
KZ_API kz_status kz_rmsnorm_run_fp8(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr weight,
                                    kz_ptr scale, kz_ptr y, kz_error *error);
KZ_API kz_status kz_rmsnorm_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr dy, kz_ptr x,
                                         kz_ptr weight, kz_ptr dx, kz_ptr dweight, kz_ptr workspace,
                                         uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: each row less its mean, over its standard deviation; and the gradients.
//
//     kz_operation *norm;
//     kz_layernorm_open(device, KZ_LAYERNORM_FORWARD, KZ_BF16, rows, columns, 1e-5f, NULL, &norm, &error);
//     kz_layernorm_run_forward(norm, NULL, x, gamma, beta, y, mean, rstd, &error); // needs no workspace
//     kz_operation_close(norm);
//
// x, y and their like are rows x columns, row-major; gamma and beta have a number for each column; all are KZ_F32, KZ_F16 or
// KZ_BF16. mean and rstd are a float for each row, scale is one float, all on the device. With h = (x - mean) rstd and rstd =
// 1 / sqrt(variance + epsilon), where the variance is the mean of (x - mean)^2:
//     FORWARD   y = h gamma + beta; mean and rstd, which BACKWARD takes
//     RESIDUAL  sum = x + residual, added as floats, rounded to the type and written; the rest is of sum. sum may be x or
//               residual
//     FP8       y = (h gamma + beta) scale[0] as e4m3, a byte each: to nearest, ties to even, beyond 448 to 448; NaN is 0x7f
//     BACKWARD  dx, and dgamma and dbeta as sums over all rows, from dy, x, gamma, mean and rstd
// Arithmetic is float, and each result is rounded once. The variance is found from differences, never as a difference of two
// sums, so a large mean costs no digits of it. y may be x itself; no other two buffers may overlap. A row in which NaN or Inf
// is gives NaN; one whose sum, or sum of squared differences, passes 3.4e38 gives nothing of use. columns: below 2^30.
#ifndef KZ_OPS_LAYERNORM_H
#define KZ_OPS_LAYERNORM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_layernorm {
    KZ_LAYERNORM_FORWARD,
    KZ_LAYERNORM_RESIDUAL,
    KZ_LAYERNORM_FP8,
    KZ_LAYERNORM_BACKWARD,
    KZ_LAYERNORM_COUNT
} kz_layernorm;

// epsilon is finite, and 0 or more. `variant` NULL takes the best known for device, type and size; a name ("03_welford")
// overrides it. KZ_DETERMINISTIC (kz/operation.h): all but 02_block's BACKWARD have the same bits in every run. BACKWARD
// needs kz_operation_workspace's bytes.
KZ_API kz_status kz_layernorm_open(kz_device *device, kz_layernorm function, kz_type type, size_t rows,
                                   size_t columns, float epsilon, const char *variant,
                                   kz_operation **operation, kz_error *error);
KZ_API kz_status kz_layernorm_run_forward(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr gamma,
                                          kz_ptr beta, kz_ptr y, kz_ptr mean, kz_ptr rstd, kz_error *error);
KZ_API kz_status kz_layernorm_run_residual(kz_operation *operation, kz_stream *stream, kz_ptr x,
                                           kz_ptr residual, kz_ptr gamma, kz_ptr beta, kz_ptr sum, kz_ptr y,
                                           kz_ptr mean, kz_ptr rstd, kz_error *error);
KZ_API kz_status kz_layernorm_run_fp8(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr gamma,
                                      kz_ptr beta, kz_ptr scale, kz_ptr y, kz_ptr mean, kz_ptr rstd,
                                      kz_error *error);
KZ_API kz_status kz_layernorm_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr dy, kz_ptr x,
                                           kz_ptr gamma, kz_ptr mean, kz_ptr rstd, kz_ptr dx, kz_ptr dgamma,
                                           kz_ptr dbeta, kz_ptr workspace, uint64_t workspace_bytes,
                                           kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: c = epilogue(a * b), the epilogue applied to sums in single precision before c is stored.
//
//     kz_operation *linear;
//     kz_gemm_fused_open(device, KZ_GEMM_FUSED_BIAS_GELU_NT, KZ_BF16, m, n, k, NULL, &linear, &error);
//     kz_gemm_fused_run(linear, NULL, a, b, c, bias, 0, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(linear);
//
// a is m x k; b is k x n (NN) or n x k (NT); c is m x n, row-major all. x and y are what the epilogue needs besides, 0 where
// it needs none. With s an element of a * b in row i and column j, an element of c is
//
//     bias            s + x[j]                       x: n elements
//     bias_relu       relu(s + x[j])                 the functions as in kz/ops/elementwise.h
//     bias_gelu       gelu_erf(s + x[j])
//     bias_gelu_tanh  gelu_tanh(s + x[j])
//     bias_silu       silu(s + x[j])
//     bias_residual   s + x[j] + y[i][j]             y: m x n
//     row_bias        s + x[i]                       x: m elements
//     scaled          s * x[i] * y[j]                x, y: m and n floats
//     scores          s / sqrt(k), and -infinity where j > i
//     bias_f32        s + x[j], c of floats
//     swiglu          silu(s) * t, where t is the sum in column j + 1, for even j: c is m x n / 2, n is even
//     geglu           gelu_erf(s) * t, likewise
//     row_sum         s, and x[i] becomes the sum of row i     x: m floats
//     row_max         s, and x[i] becomes the largest of row i, NaN if one is
//     column_sum      s, and x[j] becomes the sum of column j  x: n floats
//     masked          s * y[0], and 0 where the byte x[i][j] is 0: what dropout keeps   x: m x n bytes; y: a float
//     key_scores      s / sqrt(k), and -infinity where the byte x[j] is 0               x: n bytes
//     to_e4m3         s * x[0] as an 8-bit float, c of bytes                            x: a float
//     to_e5m2         the same in that format
//     to_int8         the same as a signed integer
//     bias_gelu_e4m3  gelu_erf(s + x[j]) * y[0] as e4m3                                 x: n elements; y: a float
//
// For swiglu and geglu b's columns (NN) or rows (NT) are gate and value by turns. Folds are of s before it is rounded to c's
// type, in an order that does not change from run to run. Bytes are rounded to nearest even, and what is beyond their largest
// number, 448, 57344 or 127, becomes that, infinities too; NaN stays NaN in a float, and is 0 as an integer. Where k is 0, sums are 0. Types: KZ_F16, KZ_BF16. All buffers begin
// at multiples of 16 bytes. c may overlap neither a nor b; it may be y. kz_operation_workspace says how much workspace a run
// needs: none where rows are multiples of 16 bytes and nothing is folded.
#ifndef KZ_OPS_GEMM_FUSED_H
#define KZ_OPS_GEMM_FUSED_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_gemm_fused {
    KZ_GEMM_FUSED_BIAS_NN,
    KZ_GEMM_FUSED_BIAS_NT,
    KZ_GEMM_FUSED_BIAS_RELU_NN,
    KZ_GEMM_FUSED_BIAS_RELU_NT,
    KZ_GEMM_FUSED_BIAS_GELU_NN,
    KZ_GEMM_FUSED_BIAS_GELU_NT,
    KZ_GEMM_FUSED_BIAS_GELU_TANH_NN,
    KZ_GEMM_FUSED_BIAS_GELU_TANH_NT,
    KZ_GEMM_FUSED_BIAS_SILU_NN,
    KZ_GEMM_FUSED_BIAS_SILU_NT,
    KZ_GEMM_FUSED_BIAS_RESIDUAL_NN,
    KZ_GEMM_FUSED_BIAS_RESIDUAL_NT,
    KZ_GEMM_FUSED_ROW_BIAS_NN,
    KZ_GEMM_FUSED_ROW_BIAS_NT,
    KZ_GEMM_FUSED_SCALED_NN,
    KZ_GEMM_FUSED_SCALED_NT,
    KZ_GEMM_FUSED_SCORES_NN,
    KZ_GEMM_FUSED_SCORES_NT,
    KZ_GEMM_FUSED_BIAS_F32_NN,
    KZ_GEMM_FUSED_BIAS_F32_NT,
    KZ_GEMM_FUSED_SWIGLU_NN,
    KZ_GEMM_FUSED_SWIGLU_NT,
    KZ_GEMM_FUSED_GEGLU_NN,
    KZ_GEMM_FUSED_GEGLU_NT,
    KZ_GEMM_FUSED_ROW_SUM_NN,
    KZ_GEMM_FUSED_ROW_SUM_NT,
    KZ_GEMM_FUSED_ROW_MAX_NN,
    KZ_GEMM_FUSED_ROW_MAX_NT,
    KZ_GEMM_FUSED_COLUMN_SUM_NN,
    KZ_GEMM_FUSED_COLUMN_SUM_NT,
    KZ_GEMM_FUSED_MASKED_NN,
    KZ_GEMM_FUSED_MASKED_NT,
    KZ_GEMM_FUSED_KEY_SCORES_NN,
    KZ_GEMM_FUSED_KEY_SCORES_NT,
    KZ_GEMM_FUSED_TO_E4M3_NN,
    KZ_GEMM_FUSED_TO_E4M3_NT,
    KZ_GEMM_FUSED_TO_E5M2_NN,
    KZ_GEMM_FUSED_TO_E5M2_NT,
    KZ_GEMM_FUSED_TO_INT8_NN,
    KZ_GEMM_FUSED_TO_INT8_NT,
    KZ_GEMM_FUSED_BIAS_GELU_E4M3_NN,
    KZ_GEMM_FUSED_BIAS_GELU_E4M3_NT
} kz_gemm_fused;

// `variant` NULL takes the best known for device, type and size; a name ("04_tensor_store") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_gemm_fused_open(kz_device *device, kz_gemm_fused epilogue, kz_type type, size_t m,
                                    size_t n, size_t k, const char *variant, kz_operation **operation,
                                    kz_error *error);
KZ_API kz_status kz_gemm_fused_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                                   kz_ptr x, kz_ptr y, kz_ptr workspace, uint64_t workspace_bytes,
                                   kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

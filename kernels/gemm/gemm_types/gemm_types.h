// Kernel Zoo, an operation: c = a * b by tensor cores, of numbers that are not halves.
//
//     kz_operation *product;
//     kz_gemm_types_open(device, KZ_GEMM_E4M3_FINE, KZ_GEMM_TYPES_NT, m, n, k, NULL, &product, &error);
//     kz_gemm_types_run(product, NULL, a, b, c, scale_a, scale_b, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(product);
//
// A format says what a and b are, what is summed, and what c is:
//
//     TF32           floats, rounded to 11 digits; c floats
//     TF32X3         floats, as two tf32 each, three products; c floats, about as exact as a product in single precision
//     INT8           bytes, signed; sums and c 32-bit integers, exact as long as they fit
//     E4M3, E5M2     8-bit floats; sums as tensor cores keep them (on Hopper 14 bits); c = a * b * scale_a * scale_b in bf16
//     E4M3_PROMOTED  the same, but sums of KZ_GEMM_TYPES_BLOCK products are added in single precision
//     E4M3_FINE      and with scales for blocks, KZ_GEMM_TYPES_BLOCK = 128: element (i, x) of a counts
//                    scale_a[x / 128][i] times, of b (x, j) scale_b[j / 128][x / 128] times
//     F64            doubles, and so are sums and c
//
// Scales are floats; where a format has one for each tensor they are arrays of one. The order's letters say how a and b lie,
// row-major: N as written (a: m x k, b: k x n), T transposed (a: k x m, b: n x k). Tensor cores take NT, and doubles in any
// order; for the others operands are transposed into the workspace first. c is m x n; it may overlap nothing. All begin at
// multiples of 16 bytes.
#ifndef KZ_OPS_GEMM_TYPES_H
#define KZ_OPS_GEMM_TYPES_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KZ_GEMM_TYPES_BLOCK = 128 };

typedef enum kz_gemm_format {
    KZ_GEMM_TF32,
    KZ_GEMM_TF32X3,
    KZ_GEMM_INT8,
    KZ_GEMM_E4M3,
    KZ_GEMM_E5M2,
    KZ_GEMM_E4M3_PROMOTED,
    KZ_GEMM_E4M3_FINE,
    KZ_GEMM_F64
} kz_gemm_format;

typedef enum kz_gemm_types_order {
    KZ_GEMM_TYPES_NN,
    KZ_GEMM_TYPES_NT,
    KZ_GEMM_TYPES_TN,
    KZ_GEMM_TYPES_TT
} kz_gemm_types_order;

// `variant` NULL takes the best known for device, format and size; a name ("01_cuda_cores") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_gemm_types_open(kz_device *device, kz_gemm_format format, kz_gemm_types_order order,
                                    size_t m, size_t n, size_t k, const char *variant,
                                    kz_operation **operation, kz_error *error);
// The scales are 0 for TF32, TF32X3, INT8 and F64.
KZ_API kz_status kz_gemm_types_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                                   kz_ptr scale_a, kz_ptr scale_b, kz_ptr workspace, uint64_t workspace_bytes,
                                   kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

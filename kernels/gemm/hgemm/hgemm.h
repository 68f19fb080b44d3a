// Kernel Zoo, an operation: c = a * b by tensor cores, of halves, sums in single precision.
//
//     kz_operation *hgemm;
//     kz_hgemm_open(device, KZ_HGEMM_NT, KZ_BF16, m, n, k, NULL, &hgemm, &error);
//     kz_hgemm_run(hgemm, NULL, a, b, c, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(hgemm);
//
// The order's letters say how a and b lie, row-major: N as written (a: m x k, b: k x n), T transposed (a: k x m, b: n x k).
// c is m x n, of the operands' type or, for KZ_HGEMM_*_F32, of floats; it may overlap neither a nor b. Types: KZ_F16,
// KZ_BF16. a and b begin at multiples of 16 bytes. Where rows are multiples of 16 bytes too, it needs no workspace;
// kz_operation_workspace says how much otherwise.
#ifndef KZ_OPS_HGEMM_H
#define KZ_OPS_HGEMM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_hgemm_order {
    KZ_HGEMM_NN,
    KZ_HGEMM_NT,
    KZ_HGEMM_TN,
    KZ_HGEMM_TT,
    KZ_HGEMM_NN_F32,
    KZ_HGEMM_NT_F32,
    KZ_HGEMM_TN_F32,
    KZ_HGEMM_TT_F32
} kz_hgemm_order;

// `variant` NULL takes the best known for device, type and size; a name ("04_async_copy") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_hgemm_open(kz_device *device, kz_hgemm_order order, kz_type type, size_t m, size_t n,
                               size_t k, const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_hgemm_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                              kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: c = a * b by tensor cores, of halves, where a is 2:4 sparse: of every four elements along k two
// are kept, and the others count as absent. Sums are single precision.
//
//     kz_operation *product;
//     kz_gemm_sparse_pack(KZ_BF16, m, k, weights, values, metadata, &error); // on the host, once
//     kz_gemm_sparse_open(device, KZ_BF16, m, n, k, NULL, &product, &error);
//     kz_gemm_sparse_run(product, NULL, values, metadata, b, c, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(product);
//
// b is n x k, row-major (the order NT of kz/ops/hgemm.h), c is m x n, row-major; it may overlap nothing. All are of one type,
// KZ_F16 or KZ_BF16, and begin at multiples of 16 bytes. Where k is a multiple of 8 it needs no workspace.
//
// How a is stored. Rows are padded with zeros to steps of KZ_GEMM_SPARSE_STEP = 64 elements along k:
//
//     values      m rows of 32 elements for each step: of each group of four the two that are kept, in their order
//     metadata    32-bit words [row / 64][step][128]: four bits for each group, the place of the first of the two in the group
//                 below the place of the second. Group q of the step, 0 to 15, of row r of 64 is in word
//                 32 (r / 16) + 4 (r % 8) + q / 4, from bit 16 (r / 8 % 2) + 4 (q % 4) on
//
// It is the order in which the threads of a warpgroup give metadata to the tensor cores of sm_90: each copies a word per step,
// and neighbours copy neighbours.
#ifndef KZ_OPS_GEMM_SPARSE_H
#define KZ_OPS_GEMM_SPARSE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KZ_GEMM_SPARSE_STEP = 64 };

// `variant` NULL takes the best known for device, type and size; a name ("01_cuda_cores") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_gemm_sparse_open(kz_device *device, kz_type type, size_t m, size_t n, size_t k,
                                     const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_gemm_sparse_run(kz_operation *operation, kz_stream *stream, kz_ptr values,
                                    kz_ptr metadata, kz_ptr b, kz_ptr c, kz_ptr workspace,
                                    uint64_t workspace_bytes, kz_error *error);

// Elements of `values`, and words of `metadata`, for an a of m x k.
KZ_API size_t kz_gemm_sparse_values(size_t m, size_t k);
KZ_API size_t kz_gemm_sparse_words(size_t m, size_t k);
// Stores a, m x k floats on the host, so. Of each group of four the two of largest magnitude are kept (the first ones of equals;
// NaN before all else), each rounded to the type: an a that is 2:4 sparse already loses nothing.
KZ_API kz_status kz_gemm_sparse_pack(kz_type type, size_t m, size_t k, const float *a, void *values,
                                     uint32_t *metadata, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

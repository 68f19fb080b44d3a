// Kernel Zoo, an operation: the k greatest elements of each row, with their indices.
//
//     kz_operation *top_k;
//     kz_top_k_open(device, KZ_BF16, rows, columns, 64, NULL, &top_k, &error);
//     kz_top_k_run(top_k, NULL, x, values, index, &error); // as often as one likes; needs no workspace
//     kz_operation_close(top_k);
//
// x is rows x columns, values and index are rows x k, all row-major. A row's values are in descending order, and of equal
// values the one with the lower index comes first: the answer is one, and every variant gives it. NaN is greater than all
// numbers, as in PyTorch; -0 and +0 are equal. Types of x and values: KZ_F32, KZ_F16, KZ_BF16; index is KZ_I32. k is at most
// `columns`, and a row has fewer than 2^31 of these. Arrays must not overlap.
#ifndef KZ_OPS_TOP_K_H
#define KZ_OPS_TOP_K_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("03_radix_select") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_top_k_open(kz_device *device, kz_type type, size_t rows, size_t columns, size_t k,
                               const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_top_k_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr values,
                              kz_ptr index, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: out[c][r] = in[r][c], row-major.
//
//     kz_operation *transpose;
//     kz_transpose_open(device, KZ_F32, rows, columns, NULL, &transpose, &error);
//     kz_transpose_run(transpose, NULL, in, out, &error); // as often as one likes; needs no workspace
//     kz_operation_close(transpose);
//
// All types: bits are moved, whatever they mean. in and out may not overlap. Rows that are multiples of 16
// bytes on both sides and pointers aligned to 16 bytes are fastest. Batches and other orders of axes:
// kz/ops/permute.h.
#ifndef KZ_OPS_TRANSPOSE_H
#define KZ_OPS_TRANSPOSE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// rows and columns are the input's. `variant` NULL takes the best known for device, type and size.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_transpose_open(kz_device *device, kz_type type, size_t rows, size_t columns,
                                   const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_transpose_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                  kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: the axes of a tensor in another order. out is in, permuted, both row-major.
//
//     const size_t axes[] = {batch, length, heads, width};  // of in, the last one contiguous
//     const unsigned order[] = {0, 2, 1, 3};                // out's axis i is in's axis order[i]
//     kz_operation *operation;
//     kz_permute_open(device, KZ_BF16, 4, axes, order, NULL, &operation, &error);
//     kz_permute_run(operation, NULL, in, out, &error); // as often as one likes; needs no workspace
//     kz_operation_close(operation);
//
// All types, 0 to 4 axes: bits are moved, whatever they mean. in and out may not overlap. A batched transpose
// is {0, 2, 1} of 3 axes. Pointers aligned to 16 bytes are fastest.
#ifndef KZ_OPS_PERMUTE_H
#define KZ_OPS_PERMUTE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `order` holds each of 0 to axis_count - 1 once. `variant` NULL takes the best known for device, type and
// size. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_permute_open(kz_device *device, kz_type type, unsigned axis_count, const size_t *axes,
                                 const unsigned *order, const char *variant, kz_operation **operation,
                                 kz_error *error);
KZ_API kz_status kz_permute_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out,
                                kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: z = x + y, element by element.
//
//     kz_operation *add;
//     kz_vector_add_open(device, KZ_F32, n, NULL, &add, &error);
//     kz_vector_add_run(add, NULL, x, y, z, &error); // as often as one likes; needs no workspace
//     kz_operation_close(add);
//
// Types: KZ_F32. Each sum is rounded once. z may be x or y itself; partial overlap is not allowed.
// Pointers aligned to 16 bytes are fastest. kz_operation_variant says which variant was taken.
#ifndef KZ_OPS_VECTOR_ADD_H
#define KZ_OPS_VECTOR_ADD_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_naive") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_vector_add_open(kz_device *device, kz_type type, size_t n, const char *variant,
                                    kz_operation **operation, kz_error *error);
KZ_API kz_status kz_vector_add_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y, kz_ptr z,
                                   kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

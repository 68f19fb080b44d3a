// Kernel Zoo, an operation: y = a * x + y, element by element.
//
//     kz_operation *saxpy;
//     kz_saxpy_open(device, KZ_F32, n, 2.5f, NULL, &saxpy, &error);
//     kz_saxpy_run(saxpy, NULL, x, y, &error); // as often as one likes; needs no workspace
//     kz_operation_close(saxpy);
//
// Types: KZ_F32. Product and sum are fused and rounded once on a GPU; on the cpu the compiler decides.
// y may be x itself; partial overlap is not allowed. Pointers aligned to 16 bytes are fastest.
#ifndef KZ_OPS_SAXPY_H
#define KZ_OPS_SAXPY_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device, type and size; a name ("01_naive") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_saxpy_open(kz_device *device, kz_type type, size_t n, float a, const char *variant,
                               kz_operation **operation, kz_error *error);
KZ_API kz_status kz_saxpy_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y,
                              kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: c = a * b, row-major, in single precision.
//
//     kz_operation *sgemm;
//     kz_sgemm_open(device, m, n, k, NULL, &sgemm, &error);
//     kz_sgemm_run(sgemm, NULL, a, b, c, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(sgemm);
//
// a is m x k, b is k x n, c is m x n. Products and sums are IEEE single precision (FFMA), never TF32. c may
// overlap neither a nor b. Where k and n are multiples of 4 and pointers are aligned to 16 bytes it is
// fastest. kz_operation_workspace says how much workspace it needs; the result is the same every time.
#ifndef KZ_OPS_SGEMM_H
#define KZ_OPS_SGEMM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// `variant` NULL takes the best known for device and size; a name ("06_vector") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_sgemm_open(kz_device *device, size_t m, size_t n, size_t k, const char *variant,
                               kz_operation **operation, kz_error *error);
KZ_API kz_status kz_sgemm_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                              kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

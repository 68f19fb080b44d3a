// Kernel Zoo, an operation: what 32 elements say together, for each row of 32 of an array.
//
//     kz_operation *operation;
//     kz_warp_open(device, KZ_WARP_SUM, KZ_F32, n, NULL, &operation, &error);
//     kz_warp_run(operation, NULL, in, out, 0, &error); // as often as one likes; needs no workspace
//     kz_operation_close(operation);
//
// Row r is in[32 r] to in[32 r + 31]; the last may be shorter, and then has fewer lanes.
// SUM, MAX (f32, i32)             out[r] is the row's; an i32 sum wraps, the greatest of a row with NaN is NaN
// INCLUSIVE, EXCLUSIVE (f32, i32) out[i]: the sum of the row's elements up to i, with and without it
// VOTE (f32)                      out[r] (u32) elements are above 0, the first at second[r] (u32; 32: none)
// MATCH (i32)                     out[i] (u32): bit l stands where lane l of the row has the value of in[i]
// DISTINCT (i32)                  out[r] (u32): how many different values the row has
// PRODUCT (f32)                   in and second are n / 1024 matrices of 32 x 32, out their products, row-major
#ifndef KZ_OPS_WARP_H
#define KZ_OPS_WARP_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_warp_operation {
    KZ_WARP_SUM,
    KZ_WARP_MAX,
    KZ_WARP_INCLUSIVE,
    KZ_WARP_EXCLUSIVE,
    KZ_WARP_VOTE,
    KZ_WARP_MATCH,
    KZ_WARP_DISTINCT,
    KZ_WARP_PRODUCT,
    KZ_WARP_COUNT
} kz_warp_operation;

// `variant` NULL takes the best known for device, type and size; a name ("03_shuffle") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_warp_open(kz_device *device, kz_warp_operation function, kz_type type, size_t n,
                              const char *variant, kz_operation **operation, kz_error *error);
// `second` is 0 for what has none.
KZ_API kz_status kz_warp_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr second,
                             kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

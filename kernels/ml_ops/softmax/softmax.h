// Kernel Zoo, an operation: the softmax of each row, and its backward pass.
//
//     kz_operation *softmax;
//     kz_softmax_open(device, KZ_SOFTMAX_PLAIN, KZ_BF16, 1, rows, columns, NULL, &softmax, &error);
//     kz_softmax_run(softmax, NULL, x, y, &error); // as often as one likes; needs no workspace
//     kz_operation_close(softmax);
//
// All arrays are batch x rows x columns, row-major. With m the largest x of a row and s the sum of its exp(x - m):
//     PLAIN, MASKED, CAUSAL   y = exp(x - m) / s
//     LOG                     y = x - m - log(s)
//     MASKED                  an element whose byte of the mask is 0 counts as -Inf:
//                             kz_softmax_run_masked(softmax, NULL, x, mask, y, &error);
//     CAUSAL                  row r of a batch sees columns 0 to r + columns - rows: the last row sees all. The others count
//                             as -Inf, and are not read
// and for the gradient dx of x, from y as above and the gradient dy of y,
// kz_softmax_run_backward(softmax, NULL, y, dy, dx, &error):
//     BACKWARD                dx = y (dy - sum of y dy), of PLAIN, MASKED and CAUSAL
//     LOG_BACKWARD            dx = dy - exp(y) sum of dy, of LOG
//
// A row that has nothing but -Inf, or of which nothing is seen, gives zeros; LOG gives -Inf. A row in which NaN or +Inf is
// seen gives NaN. Results below 2^-126 may be zero. Types: KZ_F32, KZ_F16, KZ_BF16, the same for all arrays but the mask,
// whose elements are bytes; arithmetic is float, and each result is rounded once. y may be x itself, dx may be y or dy;
// partial overlap is not allowed. Columns: below 2^30.
#ifndef KZ_OPS_SOFTMAX_H
#define KZ_OPS_SOFTMAX_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_softmax {
    KZ_SOFTMAX_PLAIN,
    KZ_SOFTMAX_LOG,
    KZ_SOFTMAX_MASKED,
    KZ_SOFTMAX_CAUSAL,
    KZ_SOFTMAX_BACKWARD,
    KZ_SOFTMAX_LOG_BACKWARD,
    KZ_SOFTMAX_COUNT
} kz_softmax;

// `variant` NULL takes the best known for device, type and size; a name ("03_online") overrides it.
// KZ_DETERMINISTIC: kz/operation.h; all variants give the same bits in every run.
KZ_API kz_status kz_softmax_open(kz_device *device, kz_softmax function, kz_type type, size_t batch,
                                 size_t rows, size_t columns, const char *variant, kz_operation **operation,
                                 kz_error *error);
// Of PLAIN, LOG and CAUSAL.
KZ_API kz_status kz_softmax_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y,
                                kz_error *error);
// Of MASKED: a byte for each element of x.
KZ_API kz_status kz_softmax_run_masked(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr mask,
                                       kz_ptr y, kz_error *error);
// Of BACKWARD and LOG_BACKWARD.
KZ_API kz_status kz_softmax_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr y, kz_ptr dy,
                                         kz_ptr dx, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

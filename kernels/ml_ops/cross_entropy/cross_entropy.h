// Kernel Zoo, an operation: the cross-entropy of each row of logits and its label, and the gradient.
//
//     kz_operation *entropy;
//     kz_cross_entropy_open(device, KZ_CROSS_ENTROPY_GRADIENT, KZ_BF16, rows, classes, 0.1f, NULL, &entropy, &error);
//     kz_cross_entropy_run_gradient(entropy, NULL, logits, labels, scale, loss, &error); // logits become their gradient
//     kz_operation_close(entropy);
//
// logits: rows x classes, row-major, KZ_F32, KZ_F16 or KZ_BF16. labels: an int32_t per row. With s the smoothing, p the
// softmax of a row and the target q = s / classes, to which 1 - s is added at the label:
//     LOSS      loss = -sum of q log(p), and log_sum = log of the sum of exp(x): a float each per row
//     GRADIENT  loss as above; each logit x becomes scale[0] (p - q). One pass over memory in place of forward and backward;
//               scale is a float on the device, 1 / the number of rows that count for a mean
//     BACKWARD  dx = dloss (p - q), from the logits and log_sum of LOSS; dloss is a float per row. dx may be the logits
// A row whose label is negative is ignored: its loss is 0, and so is its gradient. A label that no class has (classes or
// more) is a mistake: its loss and its gradient are NaN. A row in which NaN or +Inf is, or nothing but -Inf, gives NaN (its
// log_sum is NaN, or -Inf where all are). Arithmetic is float, and each result is rounded once; probabilities below 2^-126
// may be zero. classes: below 2^30.
#ifndef KZ_OPS_CROSS_ENTROPY_H
#define KZ_OPS_CROSS_ENTROPY_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_cross_entropy {
    KZ_CROSS_ENTROPY_LOSS,
    KZ_CROSS_ENTROPY_GRADIENT,
    KZ_CROSS_ENTROPY_BACKWARD,
    KZ_CROSS_ENTROPY_COUNT
} kz_cross_entropy;

// `smoothing` is 0 to 1, in steps of a millionth. `variant` NULL takes the best known for device, type and size; a name
// ("03_online") overrides it. KZ_DETERMINISTIC: kz/operation.h; all variants give the same bits in every run.
KZ_API kz_status kz_cross_entropy_open(kz_device *device, kz_cross_entropy function, kz_type type,
                                       size_t rows, size_t classes, float smoothing, const char *variant,
                                       kz_operation **operation, kz_error *error);
KZ_API kz_status kz_cross_entropy_run_loss(kz_operation *operation, kz_stream *stream, kz_ptr logits,
                                           kz_ptr labels, kz_ptr loss, kz_ptr log_sum, kz_error *error);
KZ_API kz_status kz_cross_entropy_run_gradient(kz_operation *operation, kz_stream *stream, kz_ptr logits,
                                               kz_ptr labels, kz_ptr scale, kz_ptr loss, kz_error *error);
KZ_API kz_status kz_cross_entropy_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr logits,
                                               kz_ptr labels, kz_ptr log_sum, kz_ptr dloss, kz_ptr dlogits,
                                               kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

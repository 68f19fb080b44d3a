// Kernel Zoo, an operation: y[i] = f(x[i]).
//
//     scale      x * factor
//     relu       x where x > 0, else 0; NaN stays NaN
//     gelu_erf   x * (1 + erf(x / sqrt 2)) / 2
//     gelu_tanh  x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2
//     silu       x / (1 + exp(-x))
//
// Types: KZ_F32, KZ_F16, KZ_BF16; the arithmetic is in float, rounded once to the type. As in the formulas,
// gelu and silu of -Inf are NaN. y may be x itself; partial overlap is not allowed. Needs no workspace.
#ifndef KZ_OPS_ELEMENTWISE_H
#define KZ_OPS_ELEMENTWISE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_elementwise {
    KZ_ELEMENTWISE_SCALE,
    KZ_ELEMENTWISE_RELU,
    KZ_ELEMENTWISE_GELU_ERF,
    KZ_ELEMENTWISE_GELU_TANH,
    KZ_ELEMENTWISE_SILU,
    KZ_ELEMENTWISE_COUNT
} kz_elementwise;

// `factor` is for scale. `variant` NULL takes the best known for device, type and size; a name overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_elementwise_open(kz_device *device, kz_elementwise function, kz_type type, size_t n,
                                     float factor, const char *variant, kz_operation **operation,
                                     kz_error *error);
KZ_API kz_status kz_elementwise_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y,
                                    kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

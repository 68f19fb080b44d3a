// Kernel Zoo, an operation: the forward pass of a transformer's two-layer perceptron.
//
//     relu, gelu, silu   y = f(x * w1' + b1) * w2' + b2     gelu by erf; kz/ops/elementwise.h has the functions
//     swiglu             y = h * w2', h[j] = silu(s[2 j]) * s[2 j + 1], s = x * w1'
//
//     kz_operation *mlp;
//     kz_fused_mlp_open(device, KZ_FUSED_MLP_GELU, KZ_BF16, tokens, model, hidden, NULL, &mlp, &error);
//     kz_fused_mlp_run(mlp, NULL, x, w1, b1, w2, b2, y, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(mlp);
//
// x and y are tokens x model. Weights lie as PyTorch's Linear has them: w1 is hidden x model, for swiglu 2 hidden x model with
// the rows of gate and value by turns; w2 is model x hidden. b1 has hidden elements, b2 model; swiglu has none, they are 0
// then. Sums are in single precision, the hidden layer is rounded to the type. Types: KZ_F16, KZ_BF16. All begin at multiples
// of 16 bytes; y overlaps none of the others. The workspace, kz_operation_workspace bytes, holds the hidden layer.
#ifndef KZ_OPS_FUSED_MLP_H
#define KZ_OPS_FUSED_MLP_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_fused_mlp {
    KZ_FUSED_MLP_RELU,
    KZ_FUSED_MLP_GELU,
    KZ_FUSED_MLP_SILU,
    KZ_FUSED_MLP_SWIGLU
} kz_fused_mlp;

// `variant` NULL takes the best known for device, type and size; a name ("04_ping_pong") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_fused_mlp_open(kz_device *device, kz_fused_mlp activation, kz_type type, size_t tokens,
                                   size_t model, size_t hidden, const char *variant, kz_operation **operation,
                                   kz_error *error);
KZ_API kz_status kz_fused_mlp_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr w1, kz_ptr b1,
                                  kz_ptr w2, kz_ptr b2, kz_ptr y, kz_ptr workspace, uint64_t workspace_bytes,
                                  kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

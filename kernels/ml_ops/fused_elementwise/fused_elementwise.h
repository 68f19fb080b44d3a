// Kernel Zoo, an operation: chains of elementwise steps in one kernel, each with its backward pass.
//
//     bias_gelu          y = gelu(x + bias)                            dx = dy * gelu'(x + bias), dbias = sums of dx's columns
//     bias_dropout_add   y = residual + dropout(x + bias)              dx = dropout(dy), dbias = sums of dx's columns
//     swiglu             y = silu(a) * b, x's rows are a then b        dx's rows are da = dy * b * silu'(a), db = dy * silu(a)
//     geglu              y = gelu(a) * b, likewise                     likewise
//
// In bias_dropout_add the residual's gradient is dy itself. gelu is that by erf. Arrays are rows x columns, row-major; bias and
// dbias have `columns` elements; x and dx of swiglu and geglu are rows x 2 columns, as one product with both weights gives
// them.
//
//     kz_operation *chain;
//     kz_fused_elementwise_open(device, KZ_BIAS_GELU, KZ_BF16, rows, columns, 0.0, NULL, &chain, &error);
//     kz_fused_elementwise_arrays arrays = {.x = x, .bias = bias, .y = y};
//     kz_fused_elementwise_run(chain, NULL, &arrays, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(chain);
//
// Types: KZ_F32, KZ_F16, KZ_BF16, the same for all arrays. Arithmetic is float and each result is rounded once; dbias sums what
// dx is before it is rounded. The workspace has kz_operation_workspace bytes. An output may be an input of the same shape;
// partial overlap is not allowed. Pointers aligned to 16 bytes, and rows that are multiples of 16 bytes, are fastest; with
// dropout, rows of a multiple of 64 elements.
//
// p is what kz/ops/dropout.h says, and so is `state`: 16 bytes of device memory, seed and offset, which the kernels read when
// they run. The mask is that of kz_dropout_run for the array as one range of rows * columns elements.
#ifndef KZ_OPS_FUSED_ELEMENTWISE_H
#define KZ_OPS_FUSED_ELEMENTWISE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_fused_elementwise {
    KZ_BIAS_GELU,
    KZ_BIAS_GELU_BACKWARD,
    KZ_BIAS_DROPOUT_ADD,
    KZ_BIAS_DROPOUT_ADD_BACKWARD,
    KZ_SWIGLU,
    KZ_SWIGLU_BACKWARD,
    KZ_GEGLU,
    KZ_GEGLU_BACKWARD
} kz_fused_elementwise;

// What the chain has not is 0, and all that it has is not, unless it has no elements; the call checks both:
//     bias_gelu                   x, bias, y             backward   x, bias, dy, dx, dbias
//     bias_dropout_add            x, bias, residual, state, y       dy, state, dx, dbias
//     swiglu, geglu               x, y                              x, dy, dx
typedef struct kz_fused_elementwise_arrays {
    kz_ptr x, bias, residual, dy, state, y, dx, dbias;
} kz_fused_elementwise_arrays;

// p is for bias_dropout_add and its backward pass; the others take 0. `variant` NULL takes the best known for device, type
// and size; a name ("04_columns") overrides it. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_fused_elementwise_open(kz_device *device, kz_fused_elementwise chain, kz_type type,
                                           size_t rows, size_t columns, double p, const char *variant,
                                           kz_operation **operation, kz_error *error);
KZ_API kz_status kz_fused_elementwise_run(kz_operation *operation, kz_stream *stream,
                                          const kz_fused_elementwise_arrays *arrays, kz_ptr workspace,
                                          uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

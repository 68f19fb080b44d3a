// Kernel Zoo, an operation: attention, backward. The gradients of q, k and v, out of that of attention.h's result.
//
//     kz_attention_shape shape = {.size = sizeof shape, .batch = 1, .heads = 32, .kv_heads = 8, .queries = 4096, .keys = 4096,
//                                 .dimension = 128};
//     kz_operation *backward;
//     kz_attention_backward_open(device, KZ_ATTENTION_CAUSAL, KZ_BF16, &shape, NULL, &backward, &error);
//     uint64_t bytes = kz_operation_workspace(backward); // the caller's: kz_memory_alloc, any content
//     kz_attention_backward_buffers buffers = {.size = sizeof buffers, .q = q, .k = k, .v = v, .out = out, .dout = dout,
//                                              .lse = lse, .dq = dq, .dk = dk, .dv = dv};
//     kz_attention_backward_run(backward, NULL, &buffers, workspace, bytes, &error);
//     kz_operation_close(backward);
//
// Operations, shape, types and masks are attention.h's; out and lse are what its run with .lse = true gave. With
// p = exp(scale q k^T + mask - lse), dp = dout v^T and ds = p (dp - rowsum(dout out)):
//     dv = p^T dout    dk = scale ds^T q    dq = scale ds k
// dk and dv are sums over the heads that share them. Strides of dq are q's, of dk and dv those of k and v, of dout those of out. A
// query that sees nothing, and a key that none sees, have zeros; so have the keys behind a padded length. Elements that belong to
// no packed sequence are left as they are. An additive mask gets no gradient. shape.lse says nothing here.
// Sums are float; in the half types a variant may round p and ds to the type before it multiplies them, as tensor cores need it. NaN
// and Inf in what a query's mask hides may reach the result, but never from behind a padded length or out of another sequence.
#ifndef KZ_OPS_ATTENTION_BACKWARD_H
#define KZ_OPS_ATTENTION_BACKWARD_H

#include "kz/attention_shape.h"
#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kz_attention_backward_buffers {
    size_t size; // sizeof(kz_attention_backward_buffers)
    kz_ptr q, k, v, out, dout;
    kz_ptr lse;                        // as attention.h's run left it
    kz_ptr key_lengths;                // PADDED: batch of them
    kz_ptr query_offsets, key_offsets; // PACKED, PACKED_CAUSAL: batch + 1 of them
    kz_ptr mask;                       // ADDITIVE
    kz_ptr dq, dk, dv;
} kz_attention_backward_buffers;

// `variant` NULL takes the best known for device, type and size; a name ("03_two_passes") overrides it.
// KZ_DETERMINISTIC: kz/operation.h; variants that add dq by atomics differ in last bits from run to run.
KZ_API kz_status kz_attention_backward_open(kz_device *device, kz_attention_operation which, kz_type type,
                                            const kz_attention_shape *shape, const char *variant,
                                            kz_operation **operation, kz_error *error);
// dq, dk and dv must overlap no other array, and what the operation does not use is 0.
KZ_API kz_status kz_attention_backward_run(kz_operation *operation, kz_stream *stream,
                                           const kz_attention_backward_buffers *buffers, kz_ptr workspace,
                                           uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: attention, forward. Each query's mean of the values, weighted by its softmax over the keys.
//
//     kz_operation *attention;
//     kz_attention_open(device, KZ_ATTENTION_CAUSAL, KZ_BF16, batch, heads, queries, keys, dimension, NULL, &attention,
//                       &error);
//     uint64_t bytes = kz_operation_workspace(attention); // the caller's: kz_memory_alloc, any content
//     kz_attention_run(attention, NULL, q, k, v, out, workspace, bytes, &error);
//     kz_operation_close(attention);
//
// For each batch and head: out = softmax(q k^T / sqrt(dimension)) v. q and out are batch x heads x queries x dimension,
// k and v batch x heads x keys x dimension, row-major. CAUSAL: query i attends to the keys 0 to keys - queries + i, so
// the last query attends to all. There must be a key, and for CAUSAL at least as many keys as queries. Types:
// KZ_F32, KZ_F16, KZ_BF16. Sums are float; in the half types a variant may round a weight to the type before it
// multiplies a value, as tensor cores need it. Arrays must not overlap.
#ifndef KZ_OPS_ATTENTION_H
#define KZ_OPS_ATTENTION_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_attention_operation {
    KZ_ATTENTION_FULL,
    KZ_ATTENTION_CAUSAL,
    KZ_ATTENTION_OPERATIONS
} kz_attention_operation;

// `variant` NULL takes the best known for device, type and size; a name ("01_unfused") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_attention_open(kz_device *device, kz_attention_operation which, kz_type type,
                                   size_t batch, size_t heads, size_t queries, size_t keys, size_t dimension,
                                   const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_attention_run(kz_operation *operation, kz_stream *stream, kz_ptr q, kz_ptr k, kz_ptr v,
                                  kz_ptr out, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

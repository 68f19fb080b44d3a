// Kernel Zoo, an operation: attention, forward. Each query's mean of the values, weighted by its softmax over the keys it sees.
//
//     kz_attention_shape shape = {.size = sizeof shape, .batch = 1, .heads = 32, .kv_heads = 8, .queries = 4096, .keys = 4096,
//                                 .dimension = 128};
//     kz_operation *attention;
//     kz_attention_open(device, KZ_ATTENTION_CAUSAL, KZ_BF16, &shape, NULL, &attention, &error);
//     uint64_t bytes = kz_operation_workspace(attention); // the caller's: kz_memory_alloc, any content; may be 0
//     kz_attention_buffers buffers = {.size = sizeof buffers, .q = q, .k = k, .v = v, .out = out};
//     kz_attention_run(attention, NULL, &buffers, workspace, bytes, &error);
//     kz_operation_close(attention);
//
// For each batch and head: out = softmax(scale q k^T) v, over the keys that a query sees:
//     FULL           all
//     CAUSAL         the last query sees all keys, the one before it all but the last, and so on: with more queries than keys
//                    the first ones see none
//     WINDOW         of those that CAUSAL sees the last `window`, its own among them
//     PADDED         the first key_lengths[b] of sequence b: what lies behind is of no consequence, whatever it is
//     PACKED         those of its own sequence: queries and keys of all sequences follow one another, sequence b from token
//                    query_offsets[b] (key_offsets[b]) to before query_offsets[b + 1]. `queries` and `keys` count all of them
//     PACKED_CAUSAL  of those what CAUSAL sees, or WINDOW where `window` is not 0
//     ADDITIVE       all: out = softmax(scale q k^T + mask) v, of which -Inf hides
// A query that sees nothing gives zeros, and -Inf as its log-sum-exp. Heads share keys and values in groups: head h reads head
// h / (heads / kv_heads) of k and v. Types: KZ_F32, KZ_F16, KZ_BF16, the same for q, k, v, mask and out; lengths and offsets are
// i32, on the device; lse is float. Sums are float; in the half types a variant may round a weight to the type before it
// multiplies a value, as tensor cores need it. Values of keys that a query's mask hides are multiplied by zero or not at all: NaN
// and Inf in them may reach the result, but never from behind a padded length or out of another sequence.
#ifndef KZ_OPS_ATTENTION_H
#define KZ_OPS_ATTENTION_H

#include "kz/attention_shape.h"
#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kz_attention_buffers {
    size_t size; // sizeof(kz_attention_buffers)
    kz_ptr q, k, v, out;
    kz_ptr lse;         // batch x heads x queries, packed heads x queries: where the shape says so
    kz_ptr key_lengths; // PADDED: batch of them
    kz_ptr query_offsets, key_offsets; // PACKED, PACKED_CAUSAL: batch + 1 of them
    kz_ptr mask;                       // ADDITIVE
} kz_attention_buffers;

// `variant` NULL takes the best known for device, type and size; a name ("01_unfused") overrides it.
// KZ_DETERMINISTIC: kz/operation.h; all variants give the same bits in every run.
KZ_API kz_status kz_attention_open(kz_device *device, kz_attention_operation which, kz_type type,
                                   const kz_attention_shape *shape, const char *variant,
                                   kz_operation **operation, kz_error *error);
// Arrays must not overlap, but k and v, and what the operation does not use is 0. q, k, v and out of half types begin at multiples of
// 16 bytes, or name a variant that takes any ("04_async_copy").
KZ_API kz_status kz_attention_run(kz_operation *operation, kz_stream *stream,
                                  const kz_attention_buffers *buffers, kz_ptr workspace,
                                  uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// Kernel Zoo, an operation: attention of one or a few new queries per sequence over a cache of keys and values.
//
//     kz_attention_decode_shape shape = {.size = sizeof shape, .batch = 16, .heads = 32, .kv_heads = 8, .queries = 1,
//                                        .keys = 8192, .dimension = 128};
//     kz_operation *decode;
//     kz_attention_decode_open(device, KZ_ATTENTION_DECODE_CONTIGUOUS, KZ_BF16, &shape, NULL, &decode, &error);
//     uint64_t bytes = kz_operation_workspace(decode); // the caller's: kz_memory_alloc, any content; may be 0
//     kz_attention_decode_buffers buffers = {.size = sizeof buffers, .q = q, .k = k, .v = v, .lengths = lengths, .out = out};
//     kz_attention_decode_run(decode, NULL, &buffers, workspace, bytes, &error);
//     kz_operation_close(decode);
//
// For each sequence and head: out = softmax(scale q k^T) v, over the first lengths[b] keys of the sequence's cache, the new
// queries' own among them: the last query sees all of them, the one before it all but the last, and so on. `keys` is how many the
// cache has room for. Lengths are read on the device when it runs: one recorded graph serves all steps of a generation.
//     CONTIGUOUS  k and v are batch x kv_heads x keys x dimension
//     PAGED       k and v are pools of `pages` pages, each of `page` tokens: page x token x kv_head x dimension. Token t of
//                 sequence b is token t % page of page page_table[b][t / page]; a sequence has keys / page entries there, rounded up
//     FP8         CONTIGUOUS, of bytes that are e4m3 numbers: a key is k_scale[kv_head] times what its bytes say, a value v_scale
//                 times. Of one scale for all write as many
//     PAGED_FP8   PAGED, the same
// A query that sees nothing gives zeros, and -Inf as its log-sum-exp. What lies behind a length has no influence, whatever bits it
// holds. A length below 0 is 0, one above `keys` is `keys`; an entry of the page table below 0 is page 0, one past the pool its
// last page; entries behind a length are not read. Heads share keys and values in groups: head h reads head h / (heads / kv_heads)
// of the cache. Types: KZ_F32, KZ_F16, KZ_BF16, the same for q, out and a cache that is not FP8; lengths and the page table are
// i32, scales and lse float. Sums are float; in the half types a variant may round a weight to the type before it multiplies a
// value, as tensor cores need it. Within a length, a value of a key that a query may not see yet is multiplied by zero or not at
// all: NaN and Inf there may reach that query's result.
#ifndef KZ_OPS_ATTENTION_DECODE_H
#define KZ_OPS_ATTENTION_DECODE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_attention_decode_operation {
    KZ_ATTENTION_DECODE_CONTIGUOUS,
    KZ_ATTENTION_DECODE_PAGED,
    KZ_ATTENTION_DECODE_FP8,
    KZ_ATTENTION_DECODE_PAGED_FP8,
    KZ_ATTENTION_DECODE_OPERATIONS
} kz_attention_decode_operation;

// In elements: from a token to the next, a head to the next, a sequence of the batch to the next; of a paged cache `batch` is from a
// page to the next. All 0: dense, batch x heads x tokens x dimension; of a paged cache page x token x kv_head x dimension.
typedef struct kz_attention_decode_strides {
    uint64_t token, head, batch;
} kz_attention_decode_strides;

typedef struct kz_attention_decode_shape {
    size_t size; // sizeof(kz_attention_decode_shape)
    size_t batch, heads, kv_heads, queries, keys,
        dimension; // kv_heads divides heads; 8 queries, 256 numbers at most
    float scale;   // 0: 1 / sqrt(dimension)
    size_t page;   // PAGED: tokens of a page; 0: 64
    size_t pages;  // PAGED: pages of the pool; 0: what all sequences need, batch x keys / page
    size_t splits; // blocks that share a sequence's cache, at most; 0: as many as fill the device
    kz_attention_decode_strides q, kv, out;
    bool lse; // the run writes the natural log-sum-exps
} kz_attention_decode_shape;

typedef struct kz_attention_decode_buffers {
    size_t size; // sizeof(kz_attention_decode_buffers)
    kz_ptr q, k, v;
    kz_ptr lengths;          // batch of them
    kz_ptr page_table;       // PAGED: batch x (keys / page, rounded up)
    kz_ptr k_scale, v_scale; // FP8: kv_heads of them
    kz_ptr out;
    kz_ptr lse; // batch x heads x queries, where the shape says so
} kz_attention_decode_buffers;

// `variant` NULL takes the best known for device, type and size; a name ("01_row") overrides it.
// KZ_DETERMINISTIC: kz/operation.h; all variants give the same bits in every run.
KZ_API kz_status kz_attention_decode_open(kz_device *device, kz_attention_decode_operation which,
                                          kz_type type, const kz_attention_decode_shape *shape,
                                          const char *variant, kz_operation **operation, kz_error *error);
// Arrays must not overlap, but k and v, and what the operation does not use is 0.
KZ_API kz_status kz_attention_decode_run(kz_operation *operation, kz_stream *stream,
                                         const kz_attention_decode_buffers *buffers, kz_ptr workspace,
                                         uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

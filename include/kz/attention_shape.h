// Kernel Zoo: what the operations of attention are about: which keys a query sees, sizes and strides. For kz/ops/attention.h and
// those beside it, which say what the words mean.
#ifndef KZ_ATTENTION_SHAPE_H
#define KZ_ATTENTION_SHAPE_H

#include "kz/kz.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_attention_operation {
    KZ_ATTENTION_FULL,
    KZ_ATTENTION_CAUSAL,
    KZ_ATTENTION_WINDOW,
    KZ_ATTENTION_PADDED,
    KZ_ATTENTION_PACKED,
    KZ_ATTENTION_PACKED_CAUSAL,
    KZ_ATTENTION_ADDITIVE,
    KZ_ATTENTION_OPERATIONS
} kz_attention_operation;

// In elements: from a token to the next, a head to the next, a sequence of the batch to the next. All 0: dense, batch x heads x
// tokens x dimension; of packed sequences tokens x heads x dimension. PACKED takes no `batch`.
typedef struct kz_attention_strides {
    uint64_t token, head, batch;
} kz_attention_strides;

typedef struct kz_attention_shape {
    size_t size;                                             // sizeof(kz_attention_shape)
    size_t batch, heads, kv_heads, queries, keys, dimension; // kv_heads divides heads
    float scale;                                             // 0: 1 / sqrt(dimension)
    size_t window; // keys that a query sees, for WINDOW; 0 elsewhere, but see PACKED_CAUSAL
    kz_attention_strides q, kv, out;
    kz_attention_strides
        mask; // .token: from a query to the next; 0s: dense, batch x queries x keys, for all heads alike
    bool lse; // the run writes the log-sum-exps, which a backward pass needs
} kz_attention_shape;

#ifdef __cplusplus
}
#endif
#endif

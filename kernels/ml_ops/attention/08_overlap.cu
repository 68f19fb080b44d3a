// kz: sm 90a
// attention 08: softmax under a product
//
// Idea     the next tile's scores need nothing of this tile's weights: a consumer can have both products in flight.
// Change   scores are issued first and alone waited for; the softmax runs while weights and values are still multiplied.
// Expect   two chains in each of two consumers: a softmax has three other things to hide under.
// Limit    scores, weights and sums live at the same time: 160 registers for 128 elements and keys. Blocks still begin with copies that
//          nothing hides, and under a causal mask the last ones are the longest (09).

#include "wgmma_frame.cuh"

template <typename T, int dimension, int keys, int consumers>
struct shape : attention_shape<T, dimension, keys, consumers, ATTENTION_STAGES> {
    enum { PING_PONG = true, OVERLAP = true };
};

#define KERNEL(type, T, d, consumers)                                                                        \
    typedef shape<T, d, ATTENTION_KEYS_##d, consumers> shape_d##d##_##type;                                  \
    ATTENTION_WGMMA_ENTRY(attention_overlap_d##d##_##type, shape_d##d##_##type, attention_run,               \
                          attention_sizes<shape_d##d##_##type>::THREADS, 1)
KERNEL(bf16, kz_bf16, 64, ATTENTION_CONSUMERS_64)
KERNEL(bf16, kz_bf16, 128, 2)
KERNEL(f16, kz_f16, 64, ATTENTION_CONSUMERS_64)
KERNEL(f16, kz_f16, 128, 2)

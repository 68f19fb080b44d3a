// kz: sm 90a
// attention 07: ping-pong
//
// Idea     tensor cores do 2 x 128 x 128 x 128 multiply-adds in 1024 clocks, the units for powers of 2 need as many for the 128 x 128
//          weights between them, of 64 elements twice as many as the products. Neither may wait for the other.
// Change   consumers take turns by named barriers: one issues the products of a tile's weights and the next tile's scores, and
//          passes the turn on; while the other's run, it does its softmax. Three consumers where a head has 64 elements.
// Expect   tensor cores have something to do whenever one consumer is ahead by half a tile.
// Limit    within a consumer all still takes turns: its softmax begins when both of its products are done (08).

#include "wgmma_frame.cuh"

template <typename T, int dimension, int keys, int consumers>
struct shape : attention_shape<T, dimension, keys, consumers, ATTENTION_STAGES> {
    enum { PING_PONG = true };
};

#define KERNEL(type, T, d, consumers)                                                                        \
    typedef shape<T, d, ATTENTION_KEYS_##d, consumers> shape_d##d##_##type;                                  \
    ATTENTION_WGMMA_ENTRY(attention_ping_pong_d##d##_##type, shape_d##d##_##type, attention_run,             \
                          attention_sizes<shape_d##d##_##type>::THREADS, 1)
KERNEL(bf16, kz_bf16, 64, ATTENTION_CONSUMERS_64)
KERNEL(bf16, kz_bf16, 128, 2)
KERNEL(f16, kz_f16, 64, ATTENTION_CONSUMERS_64)
KERNEL(f16, kz_f16, 128, 2)

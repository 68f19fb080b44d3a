// kz: sm 90a
// attention 09: blocks that stay
//
// Idea     a block per multiprocessor that takes tile after tile of queries: keys of the next one land while results of the last one
//          leave. And blocks should end together, whatever a causal mask leaves of their tiles.
// Change   rounds that alternate in direction; heads in sections whose keys and values stay in L2, by turns from long tiles to short
//          ones and back (wgmma_order.h).
//          Results go through the queries' shared memory and a tensor map. Tiles for all dimensions, and for an added mask.
// Expect   one start-up per multiprocessor; every pair of rounds gives each block the same work under a causal mask.
// Limit    the order is fixed before it runs: blocks that fall behind, or packed sequences of very different lengths, are not
//          evened out. An added mask is read two bytes at a time.

#include "wgmma_frame.cuh"

template <typename T, int dimension, int keys, int consumers, int q_stages, bool additive>
struct shape : attention_shape<T, dimension, keys, consumers, ATTENTION_STAGES> {
    enum {
        PING_PONG = dimension <= 64,
        OVERLAP = dimension <= 128 || !additive,
        PERSISTENT = true,
        Q_STAGES = q_stages,
        ADDITIVE = additive
    };
};

#define KERNEL(operation, type, T, d, keys, consumers, q_stages, additive)                                   \
    typedef shape<T, d, keys, consumers, q_stages, additive> shape_##operation##_##type;                     \
    ATTENTION_WGMMA_ENTRY(attention_persistent_##operation##_##type, shape_##operation##_##type,             \
                          attention_run, attention_sizes<shape_##operation##_##type>::THREADS, 1)
#define KERNELS(type, T)                                                                                     \
    KERNEL(d64, type, T, 64, ATTENTION_KEYS_64, ATTENTION_CONSUMERS_64, 2, false)                            \
    KERNEL(d96, type, T, 96, ATTENTION_KEYS_96, 2, 2, false)                                                 \
    KERNEL(d128, type, T, 128, ATTENTION_FULL_KEYS_128, 2, 1, false)                                         \
    KERNEL(causal_d128, type, T, 128, ATTENTION_KEYS_128, 2, 2, false)                                       \
    KERNEL(d256, type, T, 256, ATTENTION_KEYS_256, 2, 1, false)                                              \
    KERNEL(additive_d64, type, T, 64, ATTENTION_KEYS_64, 2, 2, true)                                         \
    KERNEL(additive_d128, type, T, 128, ATTENTION_KEYS_128, 2, 2, true)                                      \
    KERNEL(additive_d256, type, T, 256, ATTENTION_KEYS_256, 2, 1, true)
KERNELS(bf16, kz_bf16)
KERNELS(f16, kz_f16)

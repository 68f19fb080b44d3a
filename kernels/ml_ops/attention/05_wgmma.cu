// kz: sm 90a
// attention 05: wgmma
//
// Idea     Hopper's wgmma reads tiles of keys and values from shared memory, where tensor maps put them: no warp loads a fragment.
// Change   a warpgroup has 64 queries. Scores are in its registers as the product leaves them, their softmax is done there, and rounded
//          to halves they are the next product's first operand as they lie.
// Expect   what is left per score: one maximum, one multiply-add, one power of 2, one addition, half a conversion.
// Limit    copies, products and softmax take turns; only other blocks on the multiprocessor run meanwhile (06).

#include "wgmma_frame.cuh"

template <typename T, int dimension, int keys, bool additive>
struct shape : attention_shape<T, dimension, keys, 1, 1> {
    enum { ADDITIVE = additive };
};

#define KERNEL(operation, type, T, d, keys, blocks, additive)                                                \
    typedef shape<T, d, keys, additive> shape_##operation##_##type;                                          \
    ATTENTION_WGMMA_ENTRY(attention_wgmma_##operation##_##type, shape_##operation##_##type,                  \
                          attention_run_alone, KZ_WARPGROUP, blocks)
#define KERNELS(type, T)                                                                                     \
    KERNEL(d64, type, T, 64, ATTENTION_SINGLE_KEYS_64, 3, false)                                             \
    KERNEL(d96, type, T, 96, ATTENTION_SINGLE_KEYS, 3, false)                                                \
    KERNEL(d128, type, T, 128, ATTENTION_SINGLE_KEYS, 3, false)                                              \
    KERNEL(d256, type, T, 256, ATTENTION_SINGLE_KEYS, 2, false)                                              \
    KERNEL(additive_d64, type, T, 64, ATTENTION_SINGLE_KEYS_64, 2, true)                                     \
    KERNEL(additive_d128, type, T, 128, ATTENTION_SINGLE_KEYS, 2, true)                                      \
    KERNEL(additive_d256, type, T, 256, ATTENTION_SINGLE_KEYS, 2, true)
KERNELS(bf16, kz_bf16)
KERNELS(f16, kz_f16)

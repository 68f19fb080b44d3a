// kz: sm 90a
// attention 06: warps that copy
//
// Idea     copies need one thread, products need registers. Whoever waits for the one should not hold up the other.
// Change   a warp brings keys and values into rings of two stages, by a barrier for each tile of either; a second one the queries.
//          Two warpgroups multiply for 128 queries, with 240 registers a thread, of which the copying warps give up most of theirs.
// Expect   no copy is waited for but the first; each tile of keys and values serves twice as many queries as in 05.
// Limit    that one consumer's softmax falls together with the other's products is left to chance (07).

#include "wgmma_frame.cuh"

#define KERNEL(type, T, d)                                                                                   \
    typedef attention_shape<T, d, ATTENTION_PAIR_KEYS, 2, ATTENTION_STAGES> shape_d##d##_##type;             \
    ATTENTION_WGMMA_ENTRY(attention_warp_specialized_d##d##_##type, shape_d##d##_##type, attention_run,      \
                          attention_sizes<shape_d##d##_##type>::THREADS, 1)
KERNEL(bf16, kz_bf16, 64)
KERNEL(bf16, kz_bf16, 128)
KERNEL(f16, kz_f16, 64)
KERNEL(f16, kz_f16, 128)

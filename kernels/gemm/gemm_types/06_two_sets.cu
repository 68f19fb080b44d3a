// kz: sm 90a
// gemm_types 06: promotion with two sets of sums
//
// Idea     a consumer of 04 that adds its sums to those in f32 has no products in flight: the tensor cores see the other
//          consumer's alone, and where a block has one consumer, none.
// Change   a second set of sums: the next chunk's products begin before the last one's are added. Factors of blocks are asked for
//          while their chunk is multiplied, and needed a chunk later. The tiles are 04's.
// Expect   promoted fp8 near the speed of fp8 whose sums are the tensor cores' own; most where tiles have one consumer.
// Limit    64 x 128 for each consumer: three times 64 registers. Order nt, rows of whole 16 bytes; 04 does the rest.

#include "frame.cuh"

enum { LARGE, NARROW, PAIR, SPLIT };

template <int kind, typename F> struct shape : problem<F> {
    enum {
        TWO_SETS = true,
        STORE = kind == LARGE || kind == NARROW ? KZ_STORE_TENSOR : KZ_STORE_DIRECT,
        TILE_M = kind == LARGE ? GEMM_TYPES_TILE_M : 64,
        TILE_N = kind == SPLIT ? 64 : GEMM_TYPES_PROMOTED_N,
        CONSUMERS = kind == LARGE ? 2 : 1,
        CLUSTER_M = kind == LARGE ? GEMM_TYPES_CLUSTER : 1,
        CLUSTER_K = kind == SPLIT  ? GEMM_TYPES_SPLIT
                    : kind == PAIR ? GEMM_TYPES_PAIR
                                   : 1,
        STAGES = kind == SPLIT   ? GEMM_TYPES_SPLIT_STAGES
                 : kind == LARGE ? GEMM_TYPES_PROMOTED_STAGES
                                 : GEMM_TYPES_NARROW_STAGES,
    };
};

#define KERNEL(F, out)                                                                                       \
    typedef shape<LARGE, F> large_##F;                                                                       \
    typedef shape<NARROW, F> narrow_##F;                                                                     \
    typedef shape<PAIR, F> pair_##F;                                                                         \
    typedef shape<SPLIT, F> split_##F;                                                                       \
    GEMM_TYPES_TENSOR(gemm_types_two_sets_large_##F##_##out, large_##F)                                      \
    GEMM_TYPES_TENSOR(gemm_types_two_sets_narrow_##F##_##out, narrow_##F)                                    \
    GEMM_TYPES_DIRECT(gemm_types_two_sets_pair_##F##_##out, pair_##F)                                        \
    GEMM_TYPES_DIRECT(gemm_types_two_sets_split_##F##_##out, split_##F)
KERNEL(e4m3_promoted, bf16)
KERNEL(e4m3_fine, bf16)

// kz: sm 90a
// gemm_types 04: every shape and order, and floats as two tf32
//
// Idea     what a tensor map or a tensor core does not take can be made so by a copy, which costs m * k where the product costs
//          m * n * k.
// Change   operands that are MN-major are transposed into the workspace first, rows that are no whole 16 bytes are padded, floats
//          of tf32x3 are split into a high and a low tf32, which three products over k put together again. Then the tile that
//          fits, by a count of rounds (plans.c): 128 x 256 (promoted: 128 x 128), 64 x 128, and of those that share k 64 x 128 or 64 x 64.
// Expect   the speed of 02 for large matrices; tf32x3 a third of tf32's.
// Limit    for few rows the copy takes longer than the product.

#include "frame.cuh"
#include "repack.cuh"

enum { LARGE, NARROW, PAIR, SPLIT };

template <int kind, int store, typename F> struct shape : problem<F> {
    enum {
        STORE = store,
        TILE_M = kind == LARGE ? GEMM_TYPES_TILE_M : 64,
        TILE_N = kind == SPLIT                 ? 64
                 : kind != LARGE || F::PROMOTE ? 128
                                               : GEMM_TYPES_TILE_N,
        CONSUMERS = kind == LARGE ? 2 : 1,
        CLUSTER_M = kind == LARGE ? GEMM_TYPES_CLUSTER : 1,
        CLUSTER_K = kind == SPLIT  ? GEMM_TYPES_SPLIT
                    : kind == PAIR ? GEMM_TYPES_PAIR
                                   : 1,
        STAGES = kind == SPLIT   ? GEMM_TYPES_SPLIT_STAGES
                 : kind != LARGE ? GEMM_TYPES_NARROW_STAGES
                 : F::PROMOTE    ? GEMM_TYPES_PROMOTED_STAGES
                                 : GEMM_TYPES_STAGES,
    };
};

#define KERNEL(F, out)                                                                                       \
    typedef shape<LARGE, KZ_STORE_TENSOR, F> large_##F;                                                      \
    typedef shape<NARROW, KZ_STORE_TENSOR, F> narrow_##F;                                                    \
    typedef shape<LARGE, KZ_STORE_DIRECT, F> large_direct_##F;                                               \
    typedef shape<NARROW, KZ_STORE_DIRECT, F> narrow_direct_##F;                                             \
    GEMM_TYPES_TENSOR(gemm_types_any_shape_large_##F##_##out, large_##F)                                     \
    GEMM_TYPES_TENSOR(gemm_types_any_shape_narrow_##F##_##out, narrow_##F)                                   \
    GEMM_TYPES_DIRECT(gemm_types_any_shape_large_direct_##F##_##out, large_direct_##F)                       \
    GEMM_TYPES_DIRECT(gemm_types_any_shape_narrow_direct_##F##_##out, narrow_direct_##F)
GEMM_TYPES_ALL(KERNEL)

#define SHARED_K(F, out)                                                                                     \
    typedef shape<PAIR, KZ_STORE_DIRECT, F> pair_##F;                                                        \
    typedef shape<SPLIT, KZ_STORE_DIRECT, F> split_##F;                                                      \
    GEMM_TYPES_DIRECT(gemm_types_any_shape_pair_##F##_##out, pair_##F)                                       \
    GEMM_TYPES_DIRECT(gemm_types_any_shape_split_##F##_##out, split_##F)
GEMM_TYPES_FLOATS(SHARED_K)

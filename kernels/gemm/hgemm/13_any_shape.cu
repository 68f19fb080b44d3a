// kz: sm 90a
// hgemm 13: every shape and order
//
// Idea     no tile suits all matrices, and the tensor cores should not care whether k is odd.
// Change   six kernels of the frame, chosen by a count of rounds (family.c): 128 x 256 in clusters; 128 x 192 and 128 x 128 in
//          ping-pong; 64 x 128; for few rows of a, b's rows as wgmma's 64 and the tile transposed; for long k, four blocks of
//          a cluster that share a tile. Operands whose rows do not begin at multiples of 16 bytes are copied to the
//          workspace first, rows padded; where c's do not, consumers write c themselves.
// Expect   8191 x 8191 x 8191 at nearly the speed of 8192; few rows at the speed of memory.
// Limit    the copy moves its bytes twice: for few rows it takes longer than the product.

#include "frame.cuh"
#include "kz/device/pad_rows.cuh"

enum { LARGE, WIDE, SMALL, NARROW, SPLIT, ROWS_16, ROWS_64 };

template <int kind, int store, typename In, typename Out, bool a_mn, bool b_mn>
struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        STORE = store,
        TILE_M = kind >= NARROW ? 64 : 128,
        TILE_N = kind == LARGE     ? 256
                 : kind == WIDE    ? 192
                 : kind == SPLIT   ? 64
                 : kind == ROWS_16 ? 16
                 : kind == ROWS_64 ? 64
                                   : 128,
        CONSUMERS = kind >= NARROW ? 1 : 2,
        PING_PONG = kind == WIDE || kind == SMALL,
        CLUSTER_M = kind == LARGE ? 2 : 1,
        CLUSTER_K = kind == SPLIT ? HGEMM_SPLIT : 1,
        STAGES = kind == LARGE || kind == WIDE ? HGEMM_STAGES
                 : kind == SMALL               ? HGEMM_SMALL_STAGES
                 : kind == NARROW              ? HGEMM_NARROW_STAGES
                                               : HGEMM_FEW_STAGES,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<LARGE, KZ_STORE_TENSOR, In, Out, a_mn, b_mn> large_##order##_##type;                       \
    typedef shape<WIDE, KZ_STORE_TENSOR, In, Out, a_mn, b_mn> wide_##order##_##type;                         \
    typedef shape<SMALL, KZ_STORE_TENSOR, In, Out, a_mn, b_mn> small_##order##_##type;                       \
    typedef shape<NARROW, KZ_STORE_TENSOR, In, Out, a_mn, b_mn> narrow_##order##_##type;                     \
    typedef shape<LARGE, KZ_STORE_DIRECT, In, Out, a_mn, b_mn> large_direct_##order##_##type;                \
    typedef shape<NARROW, KZ_STORE_DIRECT, In, Out, a_mn, b_mn> narrow_direct_##order##_##type;              \
    typedef shape<SPLIT, KZ_STORE_DIRECT, In, Out, a_mn, b_mn> split_##order##_##type;                       \
    HGEMM_TENSOR(hgemm_any_shape_large_##order##_##type, large_##order##_##type)                             \
    HGEMM_TENSOR(hgemm_any_shape_wide_##order##_##type, wide_##order##_##type)                               \
    HGEMM_TENSOR(hgemm_any_shape_small_##order##_##type, small_##order##_##type)                             \
    HGEMM_TENSOR(hgemm_any_shape_narrow_##order##_##type, narrow_##order##_##type)                           \
    HGEMM_DIRECT(hgemm_any_shape_large_direct_##order##_##type, large_direct_##order##_##type)               \
    HGEMM_DIRECT(hgemm_any_shape_narrow_direct_##order##_##type, narrow_direct_##order##_##type)             \
    HGEMM_DIRECT(hgemm_any_shape_split_##order##_##type, split_##order##_##type)
HGEMM_KERNELS(KERNEL)

// Few rows of a, which is K-major: the plan gives b as a, and a as b.
#define ROWS(order, a_mn, b_mn, type, In, Out)                                                               \
    typedef shape<ROWS_16, KZ_STORE_TRANSPOSED, In, Out, b_mn, a_mn> rows_16_##order##_##type;               \
    typedef shape<ROWS_64, KZ_STORE_TRANSPOSED, In, Out, b_mn, a_mn> rows_64_##order##_##type;               \
    HGEMM_DIRECT(hgemm_any_shape_rows_16_##order##_##type, rows_16_##order##_##type)                         \
    HGEMM_DIRECT(hgemm_any_shape_rows_64_##order##_##type, rows_64_##order##_##type)
HGEMM_LADDER(ROWS)

KZ_ENTRY_BOUNDS(hgemm_any_shape_pad, 256, 8)
(const uint16_t *from, uint16_t *to, size_t outer, size_t inner, size_t padded) {
    kz_pad_rows(from, to, outer, inner, padded);
}

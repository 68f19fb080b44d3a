// kz: sm 90a
// hgemm 12: every shape and order
//
// Idea     the tensor cores should not care whether k is odd, or a matrix small.
// Change   operands whose rows do not begin at multiples of 16 bytes are copied to the workspace first, rows padded; where
//          c's do not, consumers write c themselves. Small matrices get tiles of 128 x 128, which fill more multiprocessors.
// Expect   8191 x 8191 x 8191 at nearly the speed of 8192: the copy is 0.13 ms of 1.6.
// Limit    the copy costs its bytes twice: where k is short it takes as long as the product.

#include "frame.cuh"

enum { LARGE, SMALL };
template <typename In, typename Out, bool a_mn, bool b_mn, int size, int store>
struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_TILE_M,
        TILE_N = size == LARGE ? HGEMM_TILE_N : HGEMM_SMALL_N,
        STAGES = size == LARGE ? HGEMM_STAGES : HGEMM_SMALL_STAGES,
        CLUSTER_M = size == LARGE ? 2 : 1,
        STORE = store,
    };
};

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<In, Out, a_mn, b_mn, LARGE, KZ_STORE_TENSOR> large_##order##_##type;                       \
    typedef shape<In, Out, a_mn, b_mn, SMALL, KZ_STORE_TENSOR> small_##order##_##type;                       \
    typedef shape<In, Out, a_mn, b_mn, LARGE, KZ_STORE_DIRECT> large_direct_##order##_##type;                \
    typedef shape<In, Out, a_mn, b_mn, SMALL, KZ_STORE_DIRECT> small_direct_##order##_##type;                \
    HGEMM_TENSOR(hgemm_any_shape_large_##order##_##type, large_##order##_##type)                             \
    HGEMM_TENSOR(hgemm_any_shape_small_##order##_##type, small_##order##_##type)                             \
    HGEMM_DIRECT(hgemm_any_shape_large_direct_##order##_##type, large_direct_##order##_##type)               \
    HGEMM_DIRECT(hgemm_any_shape_small_direct_##order##_##type, small_direct_##order##_##type)
HGEMM_KERNELS(KERNEL)

// Rows of `inner` elements, `padded` apart in the copy. A block has a row, or a piece of it; what it pads with, nobody
// reads: the tensor map ends with the row. Elements come one by one, for that is how they are aligned, and go by eights.
KZ_ENTRY_BOUNDS(hgemm_any_shape_pad, 256, 8)
(const uint16_t *from, uint16_t *to, size_t outer, size_t inner, size_t padded) {
    size_t units = padded / 8, all = outer * units;
    for (size_t i = kz_thread(); i < all; i += kz_threads()) {
        size_t row = i / units, first = i % units * 8;
        kz_pack<uint16_t> pack;
#pragma unroll
        for (int e = 0; e < 8; e++)
            pack.at[e] = first + e < inner ? from[row * inner + first + e] : (uint16_t)0;
        kz_store_pack<KZ_CACHE>(to + row * padded + first, pack);
    }
}

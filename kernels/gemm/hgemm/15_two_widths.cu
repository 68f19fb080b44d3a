// kz: sm 90a
// hgemm 15: tiles of two widths
//
// Idea     the larger the tile, the fewer bytes a product moves, and power is what large products are short of. But 256 x 192
//          makes 352 tiles of 4096 x 4096, 2.67 rounds of 132 multiprocessors, the last column half past c's edge.
// Change   c's first columns by tiles of 256 x 192 or 256 x 208, its last ones by 256 x 128 of the same kernel: as many of each
//          as let all multiprocessors end together (kernels/gemm/two_widths.c).
// Expect   at 4096: two wide tiles and a narrow one each, 97% of what there is; at 8192 nine of 208 and one of 128, 99%.
// Limit    three stages. 128 x 208 sums are 208 of a consumer's 240 registers, and leave the producer 24; and its b is K-major.

#include "frame.cuh"

template <int wide, typename In, typename Out, bool a_mn, bool b_mn>
struct shape : problem<In, Out, a_mn, b_mn> {
    enum {
        TILE_M = HGEMM_TALL_M,
        TILE_N = wide,
        NARROW_N = HGEMM_NARROW_N,
        STAGES = HGEMM_TALL_STAGES,
        STORE = KZ_STORE_TENSOR,
    };
};

#define TWO_WIDTHS(name, G)                                                                                  \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<G>::THREADS, 1)                                                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, size_t m, size_t n, size_t k, unsigned group,                  \
     const __grid_constant__ kz_tensor_map narrow_b, unsigned wide, unsigned narrow) {                       \
        kz_gemm_order order = kz_gemm_order_of<G>(m, n, 1, group);                                           \
        order.across = wide, order.narrow = narrow;                                                          \
        kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, order, k, kz_chain<>(), 0, NULL, {}, &narrow_b);            \
    }

#define KERNEL(order, a_mn, b_mn, type, In, Out)                                                             \
    typedef shape<HGEMM_WIDE_N, In, Out, a_mn, b_mn> wide_##order##_##type;                                  \
    TWO_WIDTHS(hgemm_two_widths_wide_##order##_##type, wide_##order##_##type)
HGEMM_LADDER(KERNEL)

#define WIDEST(type, In, Out)                                                                                \
    typedef shape<HGEMM_WIDEST_N, In, Out, false, false> widest_nt_##type;                                   \
    TWO_WIDTHS(hgemm_two_widths_widest_nt_##type, widest_nt_##type)
WIDEST(bf16, kz_bf16, kz_bf16)
WIDEST(f16, kz_f16, kz_f16)

// kz: sm 90a
// gemm_fused 02: two kernels
//
// Idea     what one does without epilogues: a fast product, then a kernel that reads it again.
// Change   hgemm's kernel of 128 x 256 writes sums in f32 to the workspace; a second one applies the chain of steps.
// Expect   the product at its own speed, and on top of it 8 bytes per element to DRAM and back.
// Limit    those bytes: at 4096 x 16384 they take as long as a quarter of the products (03 to 05).

#include "frame.cuh"

template <typename T, bool b_mn> struct product_shape : problem<T, float, b_mn> {
    enum {
        TILE_M = FUSED_TILE_M,
        TILE_N = FUSED_TILE_N,
        STAGES = FUSED_STAGES,
        CLUSTER_M = 2,
        STORE = KZ_STORE_TENSOR,
    };
};
#define PRODUCT(order, b_mn, type, T)                                                                        \
    KZ_ENTRY_BOUNDS(gemm_fused_unfused_product_##order##_##type, KZ_GEMM_THREADS(2), 1)                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, size_t m, size_t n, size_t k, unsigned group) {                \
        typedef product_shape<T, b_mn> G;                                                                    \
        kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k);                    \
    }
PRODUCT(nn, true, bf16, kz_bf16)
PRODUCT(nt, false, bf16, kz_bf16)
PRODUCT(nn, true, f16, kz_f16)
PRODUCT(nt, false, f16, kz_f16)

// b's order does not matter any more.
#define PASS(name, type, T)                                                                                  \
    KZ_ENTRY_BOUNDS(gemm_fused_unfused_##name##_##type, FUSED_WARPS *KZ_WARP, 1)                             \
    (const float *sums, name##_epilogue<T>::Out *c, name##_epilogue<T>::X x, name##_epilogue<T>::Y y,        \
     size_t m, size_t n, size_t k) {                                                                         \
        kz_plain_pass(sums, c, m, n, name##_epilogue<T>::make(x, y, m, n, k, KZ_PASS_WIDTH));                \
    }
#define EPILOGUE(name, ...)                                                                                  \
    PASS(name, bf16, kz_bf16)                                                                                \
    PASS(name, f16, kz_f16)
#include "epilogues.def"

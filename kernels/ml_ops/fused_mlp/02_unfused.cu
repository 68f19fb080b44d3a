// kz: sm 90a
// fused_mlp 02: four kernels
//
// Idea     what one does without epilogues: a product, a kernel for bias and activation, and the same again.
// Change   hgemm's kernel of 128 x 256; sums in f32 by way of the workspace.
// Expect   products at their own speed, and 8 bytes per element of hidden and y to DRAM and back.
// Limit    those bytes, and two launches more (03, 04).

#include "frame.cuh"

template <typename T> struct product_shape : problem<T, float> {
    enum {
        TILE_M = MLP_TILE_M,
        TILE_N = MLP_TILE_N,
        STAGES = MLP_STAGES,
        CLUSTER_M = 2,
        STORE = KZ_STORE_TENSOR,
    };
};
MLP_TENSOR(fused_mlp_unfused_product_bf16, plain_chain, product_shape<kz_bf16>, kz_bf16)
MLP_TENSOR(fused_mlp_unfused_product_f16, plain_chain, product_shape<kz_f16>, kz_f16)

#define KERNEL(name, type, T)                                                                                \
    KZ_ENTRY_BOUNDS(fused_mlp_unfused_##name##_##type, MLP_WARPS *KZ_WARP, 1)                                \
    (const float *sums, T *c, const T *bias, size_t m, size_t n) {                                           \
        kz_plain_pass(sums, c, m, n, name##_chain<T>::make(bias));                                           \
    }
MLP_KERNELS(KERNEL)

// fused_mlp 01: CUDA cores
//
// Idea     two products, each with its epilogue; the hidden layer between them is rounded to the type.
// Change   the first version: a warp computes 16 x 8 of a product from global memory.
// Expect   right on every GPU, for every shape and address.
// Limit    four loads for four multiply-adds.

#include "mlp.cuh"

#define KERNEL(name, type, T)                                                                                \
    KZ_ENTRY_BOUNDS(fused_mlp_naive_##name##_##type, MLP_WARPS *KZ_WARP, 1)                                  \
    (const T *a, const T *b, T *c, const T *bias, size_t m, size_t n, size_t k) {                            \
        kz_plain_gemm<false>(a, b, c, m, n, k, name##_chain<T>::make(bias));                                 \
    }
MLP_KERNELS(KERNEL)

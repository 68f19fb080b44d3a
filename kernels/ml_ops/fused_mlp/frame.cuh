// fused_mlp: products made of the frame kz/device/gemm.cuh; MLP_DIRECT's write their result themselves, for MLP_TENSOR's a
// tensor map does.
#ifndef FUSED_MLP_FRAME_CUH
#define FUSED_MLP_FRAME_CUH

#include "kz/device/gemm.cuh"
#include "mlp.cuh"

template <typename In_, typename Out_> struct problem : kz_gemm_defaults {
    typedef In_ In;
    typedef Out_ Out;
    enum { A_MN = false, B_MN = false };
};

#define MLP_DIRECT(entry, chain, G, T)                                                                       \
    KZ_ENTRY_BOUNDS(entry, KZ_GEMM_THREADS(G::CONSUMERS), 1)                                                 \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b, G::Out *c,            \
     const T *bias, size_t m, size_t n, size_t k, unsigned group) {                                          \
        kz_gemm_run<G>(&a, &b, NULL, {c, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k,                      \
                       chain<T>::make(bias));                                                                \
    }
#define MLP_TENSOR(entry, chain, G, T)                                                                       \
    KZ_ENTRY_BOUNDS(entry, KZ_GEMM_THREADS(G::CONSUMERS), 1)                                                 \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, const T *bias, size_t m, size_t n, size_t k, unsigned group) { \
        kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k,                     \
                       chain<T>::make(bias));                                                                \
    }

#endif

// hgemm: kernels made of the frame kz/device/gemm.cuh. HGEMM_DIRECT: they write c themselves. HGEMM_TENSOR: a
// tensor map does.
#ifndef HGEMM_FRAME_CUH
#define HGEMM_FRAME_CUH

#include "hgemm.cuh"
#include "kz/device/gemm.cuh"

// The types and orders of a kernel; a variant adds the rest of what kz/device/gemm.cuh asks for.
template <typename In_, typename Out_, bool a_mn, bool b_mn> struct problem : kz_gemm_defaults {
    typedef In_ In;
    typedef Out_ Out;
    enum { A_MN = a_mn, B_MN = b_mn };
};

#define HGEMM_DIRECT(name, G)                                                                                \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<G>::THREADS, 1)                                                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b, G::Out *c, size_t m,  \
     size_t n, size_t k, unsigned group) {                                                                   \
        kz_gemm_run<G>(&a, &b, NULL, {c, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k);                     \
    }
#define HGEMM_TENSOR(name, G)                                                                                \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<G>::THREADS, 1)                                                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, size_t m, size_t n, size_t k, unsigned group) {                \
        kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k);                    \
    }

#define HGEMM_STREAM_K(name, G)                                                                              \
    KZ_ENTRY_BOUNDS(name, kz_gemm_sizes<G>::THREADS, 1)                                                      \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, size_t m, size_t n, size_t k, unsigned group,                  \
     unsigned split_tiles, float *partials) {                                                                \
        kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k, kz_chain<>(),       \
                       split_tiles, partials);                                                               \
    }

#endif

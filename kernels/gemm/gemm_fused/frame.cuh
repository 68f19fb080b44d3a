// gemm_fused: kernels made of the frame kz/device/gemm.cuh, with an epilogue.
#ifndef GEMM_FUSED_FRAME_CUH
#define GEMM_FUSED_FRAME_CUH

#include "fused.cuh"
#include "kz/device/gemm.cuh"

// The types and orders of a kernel; a variant adds the rest of what kz/device/gemm.cuh asks for.
template <typename In_, typename Out_, bool b_mn> struct problem : kz_gemm_defaults {
    typedef In_ In;
    typedef Out_ Out;
    enum { A_MN = false, B_MN = b_mn };
};

// `shape` is a template <typename E, typename T, bool b_mn>. DIRECT: the kernel writes c itself; TENSOR: a tensor map does.
#define FUSED_DIRECT(idea, shape, name, order, b_mn, type, T)                                                \
    KZ_ENTRY_BOUNDS(gemm_fused_##idea##_##name##_##order##_##type,                                           \
                    KZ_GEMM_THREADS((shape<name##_epilogue<T>, T, b_mn>::CONSUMERS)), 1)                     \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     name##_epilogue<T>::Out *c, name##_epilogue<T>::X x, name##_epilogue<T>::Y y, size_t m, size_t n,       \
     size_t k, unsigned group) {                                                                             \
        typedef shape<name##_epilogue<T>, T, b_mn> G;                                                        \
        kz_gemm_run<G>(&a, &b, NULL, {c, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k,                      \
                       name##_epilogue<T>::make(x, y, m, n, k, G::TILE_N));                                  \
    }
#define FUSED_TENSOR(idea, shape, name, order, b_mn, type, T)                                                \
    KZ_ENTRY_BOUNDS(gemm_fused_##idea##_##name##_##order##_##type,                                           \
                    KZ_GEMM_THREADS((shape<name##_epilogue<T>, T, b_mn>::CONSUMERS)), 1)                     \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b,                       \
     const __grid_constant__ kz_tensor_map c, name##_epilogue<T>::X x, name##_epilogue<T>::Y y, size_t m,    \
     size_t n, size_t k, unsigned group) {                                                                   \
        typedef shape<name##_epilogue<T>, T, b_mn> G;                                                        \
        kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, kz_gemm_order_of<G>(m, n, 1, group), k,                     \
                       name##_epilogue<T>::make(x, y, m, n, k, G::TILE_N));                                  \
    }

#endif

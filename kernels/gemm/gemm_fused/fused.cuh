// gemm_fused: what its kernels share. c = epilogue(a * b), sums in single precision.
//
// A kernel is named for its epilogue and for the order in which b lies: nn, k x n, or nt, n x k. a is m x k. Every kernel
// gets its epilogue's x and y, also where there is none.
#ifndef GEMM_FUSED_CUH
#define GEMM_FUSED_CUH

#include "kz/device/gemm_plain.cuh"
#include "tune.h"

// The types of x and y.
#define POINTER_KZ_INPUT(Type)  const Type *
#define POINTER_KZ_OUTPUT(Type) Type *
template <typename T> struct extras_of {
#define EXTRA(id, name, role, Type, count, fold) typedef POINTER_##role(Type) id;
#include "extras.def"
#undef EXTRA
};

// bias_gelu_epilogue<T> and the others: c's type, and the chain.
#define EPILOGUE(name, Out_, X_, Y_, reference, ...)                                                         \
    template <typename T> struct name##_epilogue {                                                           \
        typedef Out_ Out;                                                                                    \
        typedef typename extras_of<T>::X_ X;                                                                 \
        typedef typename extras_of<T>::Y_ Y;                                                                 \
        static __device__ __forceinline__ auto make(X x, Y y, size_t m, size_t n, size_t k, int width) {     \
            return kz_chain_of(__VA_ARGS__);                                                                 \
        }                                                                                                    \
    };
#include "epilogues.def"
#undef EPILOGUE

// KERNEL(name, order, b is MN-major, type, T) for both orders and types of an epilogue.
#define FUSED_KERNELS(KERNEL, name)                                                                          \
    KERNEL(name, nn, true, bf16, kz_bf16)                                                                    \
    KERNEL(name, nt, false, bf16, kz_bf16)                                                                   \
    KERNEL(name, nn, true, f16, kz_f16)                                                                      \
    KERNEL(name, nt, false, f16, kz_f16)

// What is behind an epilogue that folds.
#define FUSED_FOLD(name, Fold)                                                                               \
    KZ_ENTRY(name)(const float *partials, float *to, size_t parts, size_t count) {                           \
        kz_fold_partials<Fold>(partials, to, parts, count);                                                  \
    }
FUSED_FOLD(gemm_fused_fold_sum, kz_fold_sum)
FUSED_FOLD(gemm_fused_fold_max, kz_fold_max)

#endif

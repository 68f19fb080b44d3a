// fused_mlp: what its kernels share: the epilogues of both products. Weights lie as PyTorch's Linear has them, n x k.
#ifndef FUSED_MLP_CUH
#define FUSED_MLP_CUH

#include "kz/device/gemm_plain.cuh"
#include "tune.h"

// hidden = function(x * w1' + b1), or gated, without a bias.
#define MLP_BIASED(name, function)                                                                           \
    template <typename T> struct name##_chain {                                                              \
        static __device__ __forceinline__ auto make(const T *bias) {                                         \
            return kz_chain_of(kz_bias<T>{bias}, kz_apply<function>{});                                      \
        }                                                                                                    \
    };
MLP_BIASED(relu, kz_relu)
MLP_BIASED(gelu, kz_gelu_erf)
MLP_BIASED(silu, kz_silu)
template <typename T> struct swiglu_chain {
    static __device__ __forceinline__ auto make(const T *) { return kz_chain_of(kz_gate<kz_silu>{}); }
};
// y = hidden * w2' + b2, or without a bias.
template <typename T> struct bias_chain {
    static __device__ __forceinline__ auto make(const T *bias) { return kz_chain_of(kz_bias<T>{bias}); }
};
template <typename T> struct plain_chain {
    static __device__ __forceinline__ auto make(const T *) { return kz_chain_of(); }
};

// KERNEL(name, type, T) for every epilogue and type.
#define MLP_TYPES(KERNEL, name)                                                                              \
    KERNEL(name, bf16, kz_bf16)                                                                              \
    KERNEL(name, f16, kz_f16)
#define MLP_KERNELS(KERNEL)                                                                                  \
    MLP_TYPES(KERNEL, relu)                                                                                  \
    MLP_TYPES(KERNEL, gelu)                                                                                  \
    MLP_TYPES(KERNEL, silu)                                                                                  \
    MLP_TYPES(KERNEL, swiglu)                                                                                \
    MLP_TYPES(KERNEL, bias)                                                                                  \
    MLP_TYPES(KERNEL, plain)

#endif

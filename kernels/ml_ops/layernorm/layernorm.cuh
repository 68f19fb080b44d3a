// layernorm: what the variants' entries are called, and their types. What they do is in ml_ops/norm.cuh, norm_back.cuh and
// norm_passes.cuh, which rmsnorm shares.
#ifndef LAYERNORM_CUH
#define LAYERNORM_CUH

#include "ml_ops/norm_back.cuh"

// ENTRY(operation, KIND, type, T) for each forward operation and type.
#define LAYERNORM_OF_TYPE(ENTRY, type, T)                                                                    \
    ENTRY(forward, NORM_PLAIN, type, T)                                                                      \
    ENTRY(residual, NORM_RESIDUAL, type, T)                                                                  \
    ENTRY(fp8, NORM_FP8, type, T)
#define LAYERNORM_FORWARD(ENTRY)                                                                             \
    LAYERNORM_OF_TYPE(ENTRY, f32, float)                                                                     \
    LAYERNORM_OF_TYPE(ENTRY, f16, kz_f16)                                                                    \
    LAYERNORM_OF_TYPE(ENTRY, bf16, kz_bf16)

#endif

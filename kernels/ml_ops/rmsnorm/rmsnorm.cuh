// rmsnorm: what the variants' entries are called, and their types. What they do is in ml_ops/norm.cuh, norm_back.cuh and
// norm_passes.cuh, which layernorm shares.
#ifndef RMSNORM_CUH
#define RMSNORM_CUH

#include "ml_ops/norm_back.cuh"

// ENTRY(operation, KIND, type, T) for each forward operation and type.
#define RMSNORM_OF_TYPE(ENTRY, type, T)                                                                      \
    ENTRY(rmsnorm, NORM_PLAIN, type, T)                                                                      \
    ENTRY(residual, NORM_RESIDUAL, type, T)                                                                  \
    ENTRY(fp8, NORM_FP8, type, T)
#define RMSNORM_FORWARD(ENTRY)                                                                               \
    RMSNORM_OF_TYPE(ENTRY, f32, float)                                                                       \
    RMSNORM_OF_TYPE(ENTRY, f16, kz_f16)                                                                      \
    RMSNORM_OF_TYPE(ENTRY, bf16, kz_bf16)

#endif

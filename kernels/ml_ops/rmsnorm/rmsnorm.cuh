// rmsnorm: what the variants share.
//
// x and y are rows x columns, row-major. Arithmetic is float for every type; a result is rounded once.
#ifndef RMSNORM_CUH
#define RMSNORM_CUH

#include "kz/kernel.cuh"

// What each element of a row is multiplied by.
static __device__ __forceinline__ float factor_of(float squares, size_t columns, float epsilon) {
    return rsqrtf(squares / (float)columns + epsilon);
}

// ENTRY(type, T) for the types of the family.
#define RMSNORM_TYPES(ENTRY)                                                                                 \
    ENTRY(f32, float)                                                                                        \
    ENTRY(f16, kz_f16)                                                                                       \
    ENTRY(bf16, kz_bf16)

#endif

// elementwise: the operations and their entry points, for all variants.
//
// Arithmetic is float for every type: half types are widened, and rounded once at the end.
#ifndef ELEMENTWISE_CUH
#define ELEMENTWISE_CUH

#include "kz/device/activation.cuh"

enum { SCALE, RELU, GELU_ERF, GELU_TANH, SILU };

template <int operation> static __device__ __forceinline__ float apply(float x, float factor) {
    if (operation == SCALE) return x * factor;
    if (operation == RELU) return kz_relu(x);
    if (operation == GELU_ERF) return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    float z = operation == GELU_TANH ? kz_gelu_tanh_z(x) : x;
    return x / (1.0f + expf(-z));
}

#define ELEMENTWISE_TYPES(ENTRY, operation, OPERATION)                                                       \
    ENTRY(operation, OPERATION, f32, float)                                                                  \
    ENTRY(operation, OPERATION, f16, kz_f16)                                                                 \
    ENTRY(operation, OPERATION, bf16, kz_bf16)

// ENTRY(operation, OPERATION, type, T) for every operation and type of the family.
#define ELEMENTWISE_ALL(ENTRY)                                                                               \
    ELEMENTWISE_TYPES(ENTRY, scale, SCALE)                                                                   \
    ELEMENTWISE_TYPES(ENTRY, relu, RELU)                                                                     \
    ELEMENTWISE_TYPES(ENTRY, gelu_erf, GELU_ERF)                                                             \
    ELEMENTWISE_TYPES(ENTRY, gelu_tanh, GELU_TANH)                                                           \
    ELEMENTWISE_TYPES(ENTRY, silu, SILU)

#endif

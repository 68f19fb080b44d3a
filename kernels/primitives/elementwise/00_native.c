// elementwise 00: plain C on the `cpu` device
//
// Idea     the formula in float, element by element; each block of the grid is one contiguous chunk.
// Change   none: it stands before the ladder.
// Expect   bound by erff, expf and the conversion of half types, not by memory.
#include <math.h>

#include "private.h"

static float apply(kz_elementwise operation, float x, float factor) {
    switch (operation) {
    case KZ_ELEMENTWISE_SCALE: return x * factor;
    case KZ_ELEMENTWISE_RELU: return x < 0.0f ? 0.0f : x;
    case KZ_ELEMENTWISE_GELU_ERF: return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    case KZ_ELEMENTWISE_GELU_TANH: return x / (1.0f + expf(-x * (1.5957691f + 0.071354814f * x * x)));
    default: return x / (1.0f + expf(-x));
    }
}

static void run(const kz_native_launch *launch, kz_elementwise operation, kz_type type) {
    const void *x = *(const void *const *)launch->args[0];
    void *y = *(void *const *)launch->args[1];
    uint64_t n = *(const uint64_t *)launch->args[2];
    float factor = *(const float *)launch->args[3];
    uint64_t chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t first = kz_min_u64(n, chunk * launch->block_index[0]);
    uint64_t end = kz_min_u64(n, first + chunk);
    for (uint64_t i = first; i < end; i++)
        kz_element_set(type, y, i, apply(operation, (float)kz_element_get(type, x, i), factor));
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void operation##_##type(const kz_native_launch *launch) {                                         \
        run(launch, KZ_ELEMENTWISE_##OPERATION, KZ_##TYPE);                                                  \
    }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"elementwise_native_" #operation "_" #type, operation##_##type},
#define TYPES(X, operation, OPERATION)                                                                       \
    X(operation, OPERATION, f32, F32) X(operation, OPERATION, f16, F16) X(operation, OPERATION, bf16, BF16)
#define ALL(X)                                                                                               \
    TYPES(X, scale, SCALE)                                                                                   \
    TYPES(X, relu, RELU)                                                                                     \
    TYPES(X, gelu_erf, GELU_ERF)                                                                             \
    TYPES(X, gelu_tanh, GELU_TANH)                                                                           \
    TYPES(X, silu, SILU)

ALL(ENTRY)

const kz_native_entry elementwise_natives[] = {ALL(ROW){0}};

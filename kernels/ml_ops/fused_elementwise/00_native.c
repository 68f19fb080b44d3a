// fused_elementwise 00: plain C on the `cpu` device
//
// Idea     the formulas in float, row by row; each block of the grid takes neighbouring columns, so that it owns their sums.
// Change   none: it stands before the ladder.
// Expect   bound by erff, expf and the conversion of half types, not by memory.
#include <math.h>

#include "ml_ops/dropout_mask.h"
#include "private.h"

static float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }
static float gelu_slope(float x) {
    return 0.5f * (1.0f + erff(x * 0.70710678f)) + x * 0.39894228f * expf(-0.5f * x * x);
}
static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
static float silu(float x) { return x * sigmoid(x); }
static float silu_slope(float x) { return sigmoid(x) * (1.0f + x * (1.0f - sigmoid(x))); }

// What one call has: its arrays by the place of their buffers, then rows, columns, drop and the factor.
typedef struct call {
    const kz_native_launch *launch;
    kz_type type;
    chain_buffers at;
    uint64_t rows, columns;
    dropout_mask mask;
    float scale;
} call;

static float get(const call *k, uint32_t buffer, uint64_t i) {
    return (float)kz_element_get(k->type, kz_native_pointer(k->launch, buffer), i);
}
static void set(const call *k, uint32_t buffer, uint64_t i, float value) {
    kz_element_set(k->type, kz_native_pointer(k->launch, buffer), i, value);
}

// Computes an element, and returns what belongs into its column's sum.
static float element(call *k, kz_fused_elementwise chain, uint64_t row, uint64_t column) {
    const chain_buffers *at = &k->at;
    uint64_t i = row * k->columns + column, first = row * 2 * k->columns + column;
    float biased = at->bias != NONE ? get(k, at->x, i) + get(k, at->bias, column) : 0.0f, dx = 0.0f;
    bool keep = at->state == NONE || dropout_mask_keeps(&k->mask, i);
    float a = chain >= KZ_SWIGLU ? get(k, at->x, first) : 0.0f;
    float b = chain >= KZ_SWIGLU ? get(k, at->x, first + k->columns) : 0.0f;
    float dy = at->dy != NONE ? get(k, at->dy, i) : 0.0f;
    switch (chain) {
    case KZ_BIAS_GELU: set(k, at->y, i, gelu(biased)); break;
    case KZ_BIAS_GELU_BACKWARD: set(k, at->dx, i, dx = dy * gelu_slope(biased)); break;
    case KZ_BIAS_DROPOUT_ADD:
        set(k, at->y, i, get(k, at->residual, i) + (keep ? biased * k->scale : 0.0f));
        break;
    case KZ_BIAS_DROPOUT_ADD_BACKWARD: set(k, at->dx, i, dx = keep ? dy * k->scale : 0.0f); break;
    case KZ_SWIGLU: set(k, at->y, i, silu(a) * b); break;
    case KZ_GEGLU: set(k, at->y, i, gelu(a) * b); break;
    case KZ_SWIGLU_BACKWARD:
        set(k, at->dx, first, dy * (b * silu_slope(a)));
        set(k, at->dx, first + k->columns, dy * silu(a));
        break;
    case KZ_GEGLU_BACKWARD:
        set(k, at->dx, first, dy * (b * gelu_slope(a)));
        set(k, at->dx, first + k->columns, dy * gelu(a));
        break;
    }
    return dx;
}

static void run(const kz_native_launch *launch, kz_fused_elementwise chain, kz_type type) {
    const kz_case c = {.operation = chain, .type = type};
    call k = {.launch = launch, .type = type, .at = chain_buffers_of(&c)};
    k.rows = kz_native_u64(launch, k.at.count);
    k.columns = kz_native_u64(launch, k.at.count + 1);
    if (k.at.state != NONE) {
        k.mask =
            dropout_mask_of(kz_native_pointer(launch, k.at.state), kz_native_u64(launch, k.at.count + 2));
        k.scale = *(const float *)launch->args[k.at.count + 3];
    }
    kz_share own = kz_native_share(launch, k.columns);
    if (k.at.dbias == NONE) {
        for (uint64_t row = 0; row < k.rows; row++)
            for (uint64_t column = own.begin; column < own.end; column++) element(&k, chain, row, column);
        return;
    }
    for (uint64_t column = own.begin; column < own.end; column++) {
        double sum = 0.0;
        for (uint64_t row = 0; row < k.rows; row++) sum += (double)element(&k, chain, row, column);
        kz_element_set(type, kz_native_pointer(launch, k.at.dbias), column, sum);
    }
}

#define ENTRY(operation, OPERATION, type, TYPE)                                                              \
    static void operation##_##type(const kz_native_launch *launch) { run(launch, KZ_##OPERATION, KZ_##TYPE); }
#define ROW(operation, OPERATION, type, TYPE)                                                                \
    {"fused_elementwise_native_" #operation "_" #type, operation##_##type},
#define TYPES(X, operation, OPERATION)                                                                       \
    X(operation, OPERATION, f32, F32) X(operation, OPERATION, f16, F16) X(operation, OPERATION, bf16, BF16)
#define ALL(X)                                                                                               \
    TYPES(X, bias_gelu, BIAS_GELU)                                                                           \
    TYPES(X, bias_gelu_backward, BIAS_GELU_BACKWARD)                                                         \
    TYPES(X, bias_dropout_add, BIAS_DROPOUT_ADD)                                                             \
    TYPES(X, bias_dropout_add_backward, BIAS_DROPOUT_ADD_BACKWARD)                                           \
    TYPES(X, swiglu, SWIGLU)                                                                                 \
    TYPES(X, swiglu_backward, SWIGLU_BACKWARD)                                                               \
    TYPES(X, geglu, GEGLU)                                                                                   \
    TYPES(X, geglu_backward, GEGLU_BACKWARD)

ALL(ENTRY)

const kz_native_entry fused_elementwise_natives[] = {ALL(ROW){0}};

// fused_elementwise 01: a kernel per step
//
// Idea     what a framework does that runs a chain as it is written: each step reads the array and writes it again.
// Change   the first version. What lies between two steps is float in the workspace, so that all variants keep one error
//          bound; frameworks round it to the type. A thread adds a column, downwards.
// Expect   8 bytes or more of traffic per element for each step that the chain does not need: several times the least.
// Limit    DRAM: a step has one or two flops for the bytes it moves (see 02).

#include "chain.cuh"

// The element of a rows x columns array, and where it lies in one whose rows are `stride` apart.
struct position {
    size_t i, column, strided;
    bool inside;
};
static __device__ __forceinline__ position here(size_t rows, size_t columns, size_t stride) {
    size_t i = kz_thread(), row = i / columns, column = i - row * columns;
    return {i, column, row * stride + column, row < rows};
}

#define STEP(step, type) KZ_ENTRY(fused_elementwise_unfused_##step##_##type)

// middle = f(x), x one half of a wider array.
#define MAP(type, T, step, f)                                                                                \
    STEP(step, type)(const T *x, float *middle, size_t rows, size_t columns, size_t stride) {                \
        position at = here(rows, columns, stride);                                                           \
        if (at.inside) middle[at.i] = f(kz_widen(x[at.strided]));                                            \
    }

#define STEPS(type, T)                                                                                       \
    STEP(add_bias, type)(const T *x, const T *bias, float *middle, size_t rows, size_t columns) {            \
        position at = here(rows, columns, columns);                                                          \
        if (at.inside) middle[at.i] = kz_widen(x[at.i]) + kz_widen(bias[at.column]);                         \
    }                                                                                                        \
    STEP(gelu, type)(const float *middle, T *y, size_t n) {                                                  \
        size_t i = kz_thread();                                                                              \
        if (i < n) kz_narrow(&y[i], kz_gelu_erf(middle[i]));                                                 \
    }                                                                                                        \
    STEP(gelu_backward, type)(float *middle, const T *dy, T *dx, size_t n) {                                 \
        size_t i = kz_thread();                                                                              \
        if (i >= n) return;                                                                                  \
        middle[i] = kz_widen(dy[i]) * kz_gelu_erf_slope(middle[i]);                                          \
        kz_narrow(&dx[i], middle[i]);                                                                        \
    }                                                                                                        \
    STEP(drop, type)(float *middle, const long long *state, size_t n, size_t drop, float scale) {            \
        size_t i = kz_thread();                                                                              \
        if (i >= n) return;                                                                                  \
        const kz_dropout_state d = kz_dropout_of(state, drop, scale);                                        \
        middle[i] = kz_dropout_apply(d, middle[i], kz_dropout_keeps_at(d, i));                               \
    }                                                                                                        \
    STEP(drop_backward, type)                                                                                \
    (const T *dy, const long long *state, float *middle, T *dx, size_t n, size_t drop, float scale) {        \
        size_t i = kz_thread();                                                                              \
        if (i >= n) return;                                                                                  \
        const kz_dropout_state d = kz_dropout_of(state, drop, scale);                                        \
        middle[i] = kz_dropout_apply(d, kz_widen(dy[i]), kz_dropout_keeps_at(d, i));                         \
        kz_narrow(&dx[i], middle[i]);                                                                        \
    }                                                                                                        \
    STEP(add, type)(const float *middle, const T *residual, T *y, size_t n) {                                \
        size_t i = kz_thread();                                                                              \
        if (i < n) kz_narrow(&y[i], middle[i] + kz_widen(residual[i]));                                      \
    }                                                                                                        \
    STEP(sum, type)(const float *middle, T *dbias, size_t rows, size_t columns) {                            \
        size_t column = kz_thread();                                                                         \
        if (column >= columns) return;                                                                       \
        float sum = 0.0f;                                                                                    \
        for (size_t row = 0; row < rows; row++) sum += middle[row * columns + column];                       \
        kz_narrow(&dbias[column], sum);                                                                      \
    }                                                                                                        \
    MAP(type, T, silu, kz_silu)                                                                              \
    MAP(type, T, silu_slope, kz_silu_slope)                                                                  \
    MAP(type, T, gate_gelu, kz_gelu_erf)                                                                     \
    MAP(type, T, gate_gelu_slope, kz_gelu_erf_slope)                                                         \
    STEP(scale, type)(float *middle, const T *b, size_t rows, size_t columns, size_t stride) {               \
        position at = here(rows, columns, stride);                                                           \
        if (at.inside) middle[at.i] *= kz_widen(b[at.strided]);                                              \
    }                                                                                                        \
    STEP(multiply, type)                                                                                     \
    (const float *middle, const T *by, T *out, size_t rows, size_t columns, size_t by_stride,                \
     size_t out_stride) {                                                                                    \
        position from = here(rows, columns, by_stride), to = here(rows, columns, out_stride);                \
        if (from.inside) kz_narrow(&out[to.strided], kz_widen(by[from.strided]) * middle[from.i]);           \
    }
STEPS(f32, float)
STEPS(f16, kz_f16)
STEPS(bf16, kz_bf16)

// fused_elementwise: the chains, one struct each, and the arrays that they read and write; for all fused variants.
//
// A chain says how many inputs and outputs of rows x columns it has, whether it has a bias, a dropout mask, column sums of
// its first output, and whether a and b are halves of one array (GATED). `at` computes one element.
#ifndef FUSED_ELEMENTWISE_CHAIN_CUH
#define FUSED_ELEMENTWISE_CHAIN_CUH

#include "kz/device/activation.cuh"
#include "kz/device/philox.cuh"
#include "tune.h"

// One element's values: inputs, bias, what dropout says, outputs.
struct element {
    float in[3], bias;
    bool keep;
    float out[2];
};

struct bias_gelu {
    enum { IN = 1, OUT = 1, BIAS = 1, MASK = 0, SUM = 0, GATED = 0 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &) {
        e->out[0] = kz_gelu_erf(e->in[0] + e->bias);
    }
};
struct bias_gelu_backward { // x, dy
    enum { IN = 2, OUT = 1, BIAS = 1, MASK = 0, SUM = 1, GATED = 0 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &) {
        e->out[0] = e->in[1] * kz_gelu_erf_slope(e->in[0] + e->bias);
    }
};
struct bias_dropout_add { // x, residual
    enum { IN = 2, OUT = 1, BIAS = 1, MASK = 1, SUM = 0, GATED = 0 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &d) {
        e->out[0] = e->in[1] + kz_dropout_apply(d, e->in[0] + e->bias, e->keep);
    }
};
struct bias_dropout_add_backward { // dy, which is the residual's gradient as well
    enum { IN = 1, OUT = 1, BIAS = 0, MASK = 1, SUM = 1, GATED = 0 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &d) {
        e->out[0] = kz_dropout_apply(d, e->in[0], e->keep);
    }
};
struct swiglu { // a, b
    enum { IN = 2, OUT = 1, BIAS = 0, MASK = 0, SUM = 0, GATED = 1 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &) {
        e->out[0] = kz_silu(e->in[0]) * e->in[1];
    }
};
struct geglu {
    enum { IN = 2, OUT = 1, BIAS = 0, MASK = 0, SUM = 0, GATED = 1 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &) {
        e->out[0] = kz_gelu_erf(e->in[0]) * e->in[1];
    }
};

// a, b, dy; da and db. b times the slope first: dy times b may be infinite where the slope is 0.
static __device__ __forceinline__ void gate_backward(element *e, kz_value_slope gate) {
    e->out[0] = e->in[2] * (e->in[1] * gate.slope);
    e->out[1] = e->in[2] * gate.value;
}
struct swiglu_backward {
    enum { IN = 3, OUT = 2, BIAS = 0, MASK = 0, SUM = 0, GATED = 1 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &) {
        gate_backward(e, kz_silu_both(e->in[0]));
    }
};
struct geglu_backward {
    enum { IN = 3, OUT = 2, BIAS = 0, MASK = 0, SUM = 0, GATED = 1 };
    static __device__ __forceinline__ void at(element *e, const kz_dropout_state &) {
        gate_backward(e, kz_gelu_erf_both(e->in[0]));
    }
};

// ---- arrays ------------------------------------------------------------------------------------------

// What a chain does not have is NULL. sums: of columns, or of pieces x columns.
template <typename Chain, typename T> struct arrays {
    const T *in[3];
    T *out[2];
    const T *bias;
    float *sums;
    size_t rows, columns;
    kz_dropout_state d;

    // Elements from a row to the next: a and b, da and db lie side by side.
    __device__ __forceinline__ size_t in_stride(int k) const {
        return Chain::GATED && k < 2 ? 2 * columns : columns;
    }
    __device__ __forceinline__ size_t out_stride(void) const {
        return Chain::OUT == 2 ? 2 * columns : columns;
    }
    // Whether every row of every array begins with a pack.
    __device__ __forceinline__ bool packs(void) const {
        bool all = columns * sizeof(T) % 16 == 0 && kz_aligned(bias, 16);
        for (int k = 0; k < Chain::IN; k++) all &= kz_aligned(in[k], 16);
        for (int k = 0; k < Chain::OUT; k++) all &= kz_aligned(out[k], 16);
        return all;
    }
};

// The parameters of every fused kernel, and what they become.
#define CHAIN_PARAMETERS(T)                                                                                  \
    const T *in0, const T *in1, const T *in2, T *out0, T *out1, const T *bias, const long long *state,       \
        float *sums, size_t rows, size_t columns, size_t drop, float scale
#define CHAIN_ARRAYS(Chain, T)                                                                               \
    const arrays<Chain, T> own = {{in0, in1, in2},                                                           \
                                  {out0, out1},                                                              \
                                  bias,                                                                      \
                                  sums,                                                                      \
                                  rows,                                                                      \
                                  columns,                                                                   \
                                  Chain::MASK ? kz_dropout_of(state, drop, scale) : kz_dropout_state()}

#define CHAIN_TYPES(X, operation)                                                                            \
    X(operation, f32, float) X(operation, f16, kz_f16) X(operation, bf16, kz_bf16)
#define CHAIN_ALL(X)                                                                                         \
    CHAIN_TYPES(X, bias_gelu)                                                                                \
    CHAIN_TYPES(X, bias_gelu_backward)                                                                       \
    CHAIN_TYPES(X, bias_dropout_add)                                                                         \
    CHAIN_TYPES(X, bias_dropout_add_backward)                                                                \
    CHAIN_TYPES(X, swiglu)                                                                                   \
    CHAIN_TYPES(X, swiglu_backward)                                                                          \
    CHAIN_TYPES(X, geglu)                                                                                    \
    CHAIN_TYPES(X, geglu_backward)

// One element by itself; its first output before it is rounded.
template <typename Chain, typename T>
static __device__ __forceinline__ float chain_element(const arrays<Chain, T> &own, size_t row,
                                                      size_t column) {
    element e;
#pragma unroll
    for (int k = 0; k < Chain::IN; k++) e.in[k] = kz_widen(own.in[k][row * own.in_stride(k) + column]);
    if (Chain::BIAS) e.bias = kz_widen(own.bias[column]);
    if (Chain::MASK) e.keep = kz_dropout_keeps_at(own.d, row * own.columns + column);
    Chain::at(&e, own.d);
#pragma unroll
    for (int k = 0; k < Chain::OUT; k++) kz_narrow(&own.out[k][row * own.out_stride() + column], e.out[k]);
    return e.out[0];
}

// ---- packs -------------------------------------------------------------------------------------------

// The packs of one place in all inputs.
template <typename Chain, typename T> struct loaded { kz_pack<T> in[Chain::IN]; };
template <typename Chain, typename T>
static __device__ __forceinline__ void chain_load(loaded<Chain, T> *to, const arrays<Chain, T> &own,
                                                  size_t row, size_t column) {
#pragma unroll
    for (int k = 0; k < Chain::IN; k++)
        to->in[k] = kz_load_pack<KZ_CACHE>(own.in[k] + row * own.in_stride(k) + column);
}

// Computes and stores a pack. calls: of its elements, a call for each 4; high: whether they read its high halves. The first
// outputs are added to sums[].
template <typename Chain, typename T>
static __device__ __forceinline__ void chain_pack(const arrays<Chain, T> &own, size_t row, size_t column,
                                                  const loaded<Chain, T> &from, const kz_pack<T> &bias,
                                                  const kz_philox_block *calls, bool high, float *sums) {
    const int PACK = 16 / sizeof(T);
    kz_pack<T> out[Chain::OUT];
#pragma unroll
    for (int i = 0; i < PACK; i++) {
        element e;
#pragma unroll
        for (int k = 0; k < Chain::IN; k++) e.in[k] = kz_widen(from.in[k].at[i]);
        if (Chain::BIAS) e.bias = kz_widen(bias.at[i]);
        if (Chain::MASK) e.keep = kz_dropout_keeps(own.d, calls[i / 4].word[i % 4], high);
        Chain::at(&e, own.d);
#pragma unroll
        for (int k = 0; k < Chain::OUT; k++) kz_narrow(&out[k].at[i], e.out[k]);
        if (Chain::SUM) sums[i] += e.out[0];
    }
#pragma unroll
    for (int k = 0; k < Chain::OUT; k++)
        kz_store_pack<KZ_CACHE>(own.out[k] + row * own.out_stride() + column, out[k]);
}

// The calls that a pack's elements need, the first of which is element i of the mask.
template <typename T>
static __device__ __forceinline__ void chain_calls(kz_philox_block calls[2], const kz_dropout_state &d,
                                                   size_t i) {
#pragma unroll
    for (int four = 0; four < 4 / (int)sizeof(T); four++) calls[four] = kz_dropout_call(d, i + 4 * four);
}

#endif

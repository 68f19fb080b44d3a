// Epilogues: what a product's sums become before they are stored, as a chain of small steps.
//
//     auto epilogue = kz_chain_of(kz_bias<kz_bf16>{bias}, kz_apply<kz_gelu_erf>{});
//     kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, order, k, epilogue);
//
// A step is a struct with its parameters and
//
//     __device__ void apply(kz_pair &v, kz_place &at);
//
// which changes two neighbouring sums, since that is what a lane holds; `at` says where they are. All sums of a tile
// pass, those beyond c's edge too: these are never stored, and the loads below read inside for them. A step of your own
// needs no more than that. What is done in single precision here is rounded once, when c is stored.
#ifndef KZ_EPILOGUE_CUH
#define KZ_EPILOGUE_CUH

#include "kz/device/activation.cuh"

struct kz_pair {
    float x, y;
};

// Where a pair is. Sum i, 0 or 1, is at row(i) and column(i) of c.
struct kz_place {
    int m, n, batch;   // of the product: (m, n) and (m, n + 1)
    int rows, columns; // of c
    bool transposed;   // c is the product, transposed: the two are in one column then
    bool single;       // there is no second: kz_gate made one of two

    __device__ __forceinline__ int row(int i) const { return transposed ? n + i : m; }
    __device__ __forceinline__ int column(int i) const { return transposed ? m : n + i; }
    __device__ __forceinline__ bool inside(int i) const {
        return row(i) < rows && column(i) < columns && !(single && i > 0);
    }
    // The same, moved into c.
    __device__ __forceinline__ int row_inside(int i) const { return min(row(i), rows - 1); }
    __device__ __forceinline__ int column_inside(int i) const { return min(column(i), columns - 1); }
};

// ---- a chain ------------------------------------------------------------------------------------------------

// Optional, for steps that keep something for a tile: overloads for the step's type. `at` is the place of this thread's
// first sum of the tile, or was.
template <typename Step>
static __device__ __forceinline__ void kz_step_begin(Step &step, const kz_place &at) {}
template <typename Step> static __device__ __forceinline__ void kz_step_end(Step &step, const kz_place &at) {}

template <typename... Steps> struct kz_chain {
    enum { STEPS = 0 };
    __device__ __forceinline__ void begin(const kz_place &at) {}
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {}
    __device__ __forceinline__ void end(const kz_place &at) {}
};
template <typename First, typename... Rest> struct kz_chain<First, Rest...> {
    enum { STEPS = 1 + sizeof...(Rest) };
    First first;
    kz_chain<Rest...> rest;

    __device__ __forceinline__ void begin(const kz_place &at) {
        kz_step_begin(first, at);
        rest.begin(at);
    }
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        first.apply(v, at);
        rest.apply(v, at);
    }
    __device__ __forceinline__ void end(const kz_place &at) {
        kz_step_end(first, at);
        rest.end(at);
    }
};
static __device__ __forceinline__ kz_chain<> kz_chain_of(void) { return {}; }
template <typename First, typename... Rest>
static __device__ __forceinline__ kz_chain<First, Rest...> kz_chain_of(First first, Rest... rest) {
    return {first, kz_chain_of(rest...)};
}

// ---- what steps read ------------------------------------------------------------------------------------------

// Two neighbours by one load: they begin at a multiple of their size together.
static __device__ __forceinline__ kz_pair kz_load_pair(const float *from) {
    float2 v = *(const float2 *)from;
    return {v.x, v.y};
}
template <typename Half> static __device__ __forceinline__ kz_pair kz_load_pair(const Half *from) {
    uint32_t v = *(const uint32_t *)from;
    return {kz_widen(Half{(uint16_t)v}), kz_widen(Half{(uint16_t)(v >> 16)})};
}

// vector[column] and vector[row] for both sums.
template <typename T>
static __device__ __forceinline__ kz_pair kz_load_by_column(const T *vector, const kz_place &at) {
    if (!at.transposed && !at.single && at.columns % 2 == 0 && kz_aligned(vector, 2 * sizeof(T)))
        return kz_load_pair(vector + min(at.column(0), at.columns - 2));
    return {kz_widen(vector[at.column_inside(0)]), kz_widen(vector[at.column_inside(1)])};
}
template <typename T>
static __device__ __forceinline__ kz_pair kz_load_by_row(const T *vector, const kz_place &at) {
    return {kz_widen(vector[at.row_inside(0)]), kz_widen(vector[at.row_inside(1)])};
}

// A matrix of c's shape, rows `pitch` elements apart, matrices of a batch `batch_pitch`.
template <typename T> struct kz_matrix {
    const T *at;
    size_t pitch, batch_pitch;
};
template <typename T>
static __device__ __forceinline__ kz_pair kz_load_by_element(const kz_matrix<T> &matrix, const kz_place &at) {
    const T *from = matrix.at + at.batch * matrix.batch_pitch;
    if (!at.transposed && !at.single && at.columns % 2 == 0 && matrix.pitch % 2 == 0 &&
        matrix.batch_pitch % 2 == 0 && kz_aligned(matrix.at, 2 * sizeof(T)))
        return kz_load_pair(from + at.row_inside(0) * matrix.pitch + min(at.column(0), at.columns - 2));
    return {kz_widen(from[at.row_inside(0) * matrix.pitch + at.column_inside(0)]),
            kz_widen(from[at.row_inside(1) * matrix.pitch + at.column_inside(1)])};
}

// ---- steps ------------------------------------------------------------------------------------------------------

// An element where `wanted`, else 0: without a branch, so that the loads of many pairs are in flight together.
static __device__ __forceinline__ float kz_load_if(const float *from, bool wanted) {
    float x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global.f32 %0, [%1]; }"
                 : "=f"(x)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
    return x;
}
template <typename Half> static __device__ __forceinline__ float kz_load_if(const Half *from, bool wanted) {
    Half x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.b16 %0, 0; @p ld.global.b16 %0, [%1]; }"
                 : "=h"(x.bits)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
    return kz_widen(x);
}

// v = alpha * v + beta * c. Where beta is 0, c is not read: what it holds, NaN too, does not matter.
template <typename T> struct kz_linear {
    float alpha, beta;
    kz_matrix<T> c;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        const T *from = c.at + at.batch * c.batch_pitch;
        float x = kz_load_if(from + at.row_inside(0) * c.pitch + at.column_inside(0), beta != 0.0f),
              y = kz_load_if(from + at.row_inside(1) * c.pitch + at.column_inside(1), beta != 0.0f);
        v = {alpha * v.x + beta * x, alpha * v.y + beta * y};
    }
};

// v *= factor
struct kz_scale {
    float factor;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &) { v = {factor * v.x, factor * v.y}; }
};
// v *= *a * *b: a factor of each operand, in memory.
struct kz_scale_tensors {
    const float *a, *b;
    float factor; // for the tile
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &) { v = {factor * v.x, factor * v.y}; }
};
static __device__ __forceinline__ void kz_step_begin(kz_scale_tensors &step, const kz_place &) {
    step.factor = __ldg(step.a) * __ldg(step.b);
}
// v *= factors[column], v *= factors[row]: what quantised operands were divided by.
template <typename T> struct kz_scale_columns {
    const T *factors;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        kz_pair f = kz_load_by_column(factors, at);
        v = {v.x * f.x, v.y * f.y};
    }
};
template <typename T> struct kz_scale_rows {
    const T *factors;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        kz_pair f = kz_load_by_row(factors, at);
        v = {v.x * f.x, v.y * f.y};
    }
};

// v += bias[column], v += bias[row]
template <typename T> struct kz_bias {
    const T *bias;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        kz_pair b = kz_load_by_column(bias, at);
        v = {v.x + b.x, v.y + b.y};
    }
};
template <typename T> struct kz_bias_rows {
    const T *bias;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        kz_pair b = kz_load_by_row(bias, at);
        v = {v.x + b.x, v.y + b.y};
    }
};
// v += residual, a matrix like c
template <typename T> struct kz_residual {
    kz_matrix<T> residual;
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        kz_pair r = kz_load_by_element(residual, at);
        v = {v.x + r.x, v.y + r.y};
    }
};

// v = function(v): kz_apply<kz_relu>, kz_apply<kz_gelu_erf>, or a function of your own.
template <float (*function)(float)> struct kz_apply {
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &) { v = {function(v.x), function(v.y)}; }
};

// v = -infinity above c's diagonal: scores of what comes later.
struct kz_causal {
    __device__ __forceinline__ void apply(kz_pair &v, kz_place &at) {
        if (at.column(0) > at.row(0)) v.x = -INFINITY;
        if (at.column(1) > at.row(1)) v.y = -INFINITY;
    }
};

#endif

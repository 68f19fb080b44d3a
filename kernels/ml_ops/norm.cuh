// layernorm and rmsnorm: what their kernels share, forward. The programs that the row frame runs (kz/device/row.cuh), with
// CENTERED as the difference of the two: layernorm takes a row's mean away and adds beta, rmsnorm does neither.
//
// Arrays are rows x columns, row-major; gamma (rmsnorm's weight) and beta are a row. Arithmetic is float for every type; a
// result is rounded once. RESIDUAL adds another array first: the sum is rounded to the type, written, and is what the norm
// is of. FP8 multiplies the result by a factor and writes e4m3.
#ifndef NORM_CUH
#define NORM_CUH

#include "kz/device/byte_types.cuh"
#include "kz/device/row.cuh"
#include "ml_ops/norm_tune.h"

enum { NORM_PLAIN, NORM_RESIDUAL, NORM_FP8 };
enum { NORM_RMS, NORM_LAYER }; // CENTERED or not

// What a forward kernel is given. What its operation lacks is NULL.
template <typename T> struct norm_given {
    const T *x, *residual, *gamma, *beta;
    const float *scale;
    void *y;
    T *sum;
    float *mean, *rstd;
    float epsilon;
};
#define NORM_ARGS(T)                                                                                         \
    (const T *x, const T *residual, const T *gamma, const T *beta, const float *scale, void *y, T *sum,      \
     float *mean, float *rstd, size_t rows, size_t columns, float epsilon, unsigned extra)
#define NORM_GIVEN(T)                                                                                        \
    norm_given<T> { x, residual, gamma, beta, scale, y, sum, mean, rstd, epsilon }

// ENTRY(type, T) for the types of both families.
#define NORM_TYPES(ENTRY)                                                                                    \
    ENTRY(f32, float)                                                                                        \
    ENTRY(f16, kz_f16)                                                                                       \
    ENTRY(bf16, kz_bf16)

// ---- numbers -------------------------------------------------------------------------------------------------

template <typename T> static __device__ __forceinline__ float norm_rounded(float x) {
    T narrow;
    kz_narrow(&narrow, x);
    return kz_widen(narrow);
}

// ---- what a row is folded to -----------------------------------------------------------------------------------

struct norm_sum {
    typedef float value;
    static __device__ __forceinline__ float identity(void) { return 0.0f; }
    static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
};

// Squared differences of a unit's elements from `mean`, onto a sum; what is outside of the row does not count. Without the
// question for each element where none is.
template <int E>
static __device__ __forceinline__ float norm_squares_whole(float sum, const float (&x)[E], float mean) {
#pragma unroll
    for (int e = 0; e < E; e++) sum = fmaf(x[e] - mean, x[e] - mean, sum);
    return sum;
}
template <int E>
static __device__ __forceinline__ float norm_squares(float sum, const float (&x)[E], float mean,
                                                     const kz_row_at &at) {
    if (at.whole) return norm_squares_whole(sum, x, mean);
#pragma unroll
    for (int e = 0; e < E; e++)
        if (at.inside(e)) sum = fmaf(x[e] - mean, x[e] - mean, sum);
    return sum;
}

// Count, sum, and squared differences from the mean, of some elements. Two sets become one by Chan's formula: the squares of
// both, and what their means are apart. Nothing is ever subtracted from a sum of squares, so nothing cancels.
struct norm_moments {
    struct value {
        float count, sum, squares;
    };
    static __device__ __forceinline__ value identity(void) { return {0.0f, 0.0f, 0.0f}; }
    // Rounded products: a fused one would round one side alone, and lanes would differ in their last bits.
    static __device__ __forceinline__ value combine(value a, value b) {
        float count = a.count + b.count, both = __fmul_rn(a.count, b.count);
        float apart = __fdividef(a.sum, a.count) - __fdividef(b.sum, b.count);
        float between = __fmul_rn(__fmul_rn(apart, apart), __fdividef(both, count));
        return {count, a.sum + b.sum, (a.squares + b.squares) + (both == 0.0f ? 0.0f : between)};
    }
    // A pack's own, exact but for roundings: its elements stay in registers for the second look.
    template <int E> static __device__ __forceinline__ value of(const float (&x)[E], const kz_row_at &at) {
        float sum = 0.0f, count = (float)E;
#pragma unroll
        for (int e = 0; e < E; e++) sum += x[e]; // 0 outside of the row
        if (!at.whole) count = (float)(min(at.column + E, at.columns) - max(at.column, 0));
        return {count, sum, norm_squares(0.0f, x, at.whole ? sum * (1.0f / E) : sum / count, at)};
    }
};

struct norm_row {
    float mean, rstd; // mean: 0 for rmsnorm
    __device__ __forceinline__ float of(float x) const { return (x - mean) * rstd; }
};

static __device__ __forceinline__ float norm_rstd(float squares, int columns, float epsilon) {
    return rsqrtf(squares / (float)columns + epsilon);
}

// ---- the program -------------------------------------------------------------------------------------------------

// EARLY: units whose gamma and beta are loaded together with the row, before it is folded; 0: behind the folds, from a cache
// that the rows before have filled.
template <typename T, bool CENTERED, int KIND, int EARLY = 0>
struct norm_forward : kz_row_program<T, KIND == NORM_RESIDUAL ? 2 : 1> {
    enum { E = 16 / sizeof(T), KEPT = EARLY ? EARLY : 1 };
    const norm_given<T> given;
    float scale;

    // gamma and beta of a unit; 0 outside of the row
    struct columns_of {
        kz_pack<T> gamma, beta;
    };

    __device__ __forceinline__ norm_forward(const norm_given<T> &g)
        : given(g), scale(KIND == NORM_FP8 ? *g.scale : 1.0f) {}
    __device__ __forceinline__ const T *array(int k) const { return k == 0 ? given.x : given.residual; }
    __device__ __forceinline__ bool aligned(void) const {
        return kz_row_aligned(given.gamma, given.beta, (const T *)given.y, given.sum);
    }

    __device__ __forceinline__ void load(columns_of &to, const kz_row_at &at) const {
        to.gamma.raw = to.beta.raw = make_uint4(0, 0, 0, 0);
        kz_row_get_column(to.gamma.at, given.gamma, at);
        if (CENTERED) kz_row_get_column(to.beta.at, given.beta, at);
    }
    // A unit's elements. A row in registers has been added up already.
    template <class Row>
    static __device__ __forceinline__ void take(float (&v)[E], const typename Row::unit &unit) {
#pragma unroll
        for (int e = 0; e < E; e++) {
            v[e] = unit.get(0, e);
            if (KIND == NORM_RESIDUAL && !Row::HELD) v[e] = norm_rounded<T>(v[e] + unit.get(1, e));
        }
    }
    template <class Row> static __device__ __forceinline__ void add_residual(Row &row) {
        row.each([&](typename Row::unit &unit, const kz_row_at &) {
#pragma unroll
            for (int e = 0; e < E; e += 2)
                kz_narrow_pair(&unit.at[0].at[e], unit.get(0, e) + unit.get(1, e),
                               unit.get(0, e + 1) + unit.get(1, e + 1));
        });
    }

    // Squared differences from `mean`.
    template <class Row> static __device__ __forceinline__ float squares_of(Row &row, float mean) {
        return row.template fold<norm_sum>(
            [&](float sum, const typename Row::unit &unit, const kz_row_at &at) {
                float v[E];
                take<Row>(v, unit);
                return CENTERED ? norm_squares(sum, v, mean, at) : norm_squares_whole(sum, v, 0.0f);
            });
    }
    // Of a row in registers: the mean first, then the squares of what differs from it.
    template <class Row> __device__ __forceinline__ norm_row two_passes(Row &row) const {
        float mean = 0.0f;
        if (CENTERED) {
            float sum = row.template fold<norm_sum>(
                [&](float so_far, const typename Row::unit &unit, const kz_row_at &) {
#pragma unroll
                    for (int e = 0; e < E; e++) so_far += unit.get(0, e);
                    return so_far;
                });
            mean = sum / (float)row.columns();
        }
        return {mean, norm_rstd(squares_of(row, mean), row.columns(), given.epsilon)};
    }
    template <class Row> __device__ __forceinline__ norm_row one_pass(Row &row) const {
        norm_moments::value all = row.template fold<norm_moments>(
            [&](norm_moments::value so_far, const typename Row::unit &unit, const kz_row_at &at) {
                float v[E];
                take<Row>(v, unit);
                return norm_moments::combine(so_far, norm_moments::of(v, at));
            });
        return {all.sum / (float)row.columns(), norm_rstd(all.squares, row.columns(), given.epsilon)};
    }

    __device__ __forceinline__ void put(const float (&v)[E], const norm_row &s, const columns_of &by,
                                        const kz_row_at &at) const {
        float y[E];
#pragma unroll
        for (int e = 0; e < E; e++) {
            y[e] = s.of(v[e]);
            y[e] = CENTERED ? fmaf(y[e], kz_row_element(by.gamma, e), kz_row_element(by.beta, e))
                            : y[e] * kz_row_element(by.gamma, e);
        }
        if constexpr (KIND == NORM_FP8) {
            kz_e4m3 code[E];
#pragma unroll
            for (int e = 0; e < E; e += 4) {
                uint32_t four = kz_pack_four(kz_e4m3{}, y[e] * scale, y[e + 1] * scale, y[e + 2] * scale,
                                             y[e + 3] * scale);
                memcpy(&code[e], &four, 4);
            }
            kz_row_put((kz_e4m3 *)given.y, at, code);
        } else {
            kz_row_put_float((T *)given.y, at, y);
        }
    }

    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        columns_of early[KEPT];
        if (EARLY)
            row.each([&](const typename Row::unit &, const kz_row_at &at) { load(early[at.unit], at); });
        if (KIND == NORM_RESIDUAL && Row::HELD) add_residual(row);
        norm_row s;
        if constexpr (CENTERED && !Row::HELD)
            s = one_pass(row);
        else
            s = two_passes(row);
        if (CENTERED && row.leader()) given.mean[row.row()] = s.mean, given.rstd[row.row()] = s.rstd;
        row.write([&](const typename Row::unit &unit, const kz_row_at &at) {
            float v[E];
            columns_of by;
            take<Row>(v, unit);
            if (KIND == NORM_RESIDUAL) kz_row_put_float(given.sum, at, v);
            if (!EARLY) load(by, at);
            put(v, s, EARLY ? early[at.unit] : by, at);
        });
    }
};

#endif

// softmax: what the variants share. The programs that the row frame runs (kz/device/row.cuh), forward and backward; what
// an element counts as; the entries.
//
// Arrays are batch x rows x columns, row-major. Arithmetic is float for every type; a result is rounded once.
#ifndef SOFTMAX_CUH
#define SOFTMAX_CUH

#include "kz/device/online_softmax.cuh"
#include "kz/device/row.cuh"
#include "tune.h"

enum { SOFTMAX_PLAIN, SOFTMAX_LOG, SOFTMAX_MASKED, SOFTMAX_CAUSAL };

// Columns that a row sees: all, or those up to the diagonal that ends in the last row's last column.
static __device__ __forceinline__ int visible_of(int kind, size_t row, size_t rows, int columns) {
    if (kind != SOFTMAX_CAUSAL) return columns;
    size_t end = row % rows + 1 + (size_t)columns;
    return end > rows ? (int)min(end - rows, (size_t)columns) : 0;
}

// A row's result for x, from its folded values.
template <int KIND> struct softmax_result {
    float base, factor; // factor: 1 / sum, or log(sum) for LOG
    __device__ __forceinline__ softmax_result(kz_online_softmax::value v) : base(kz_softmax_base(v.max)) {
        if (KIND == SOFTMAX_LOG)
            factor = v.sum == 0.0f ? 0.0f : logf(v.sum);
        else
            factor = v.sum == 0.0f ? 0.0f : 1.0f / v.sum;
    }
    __device__ __forceinline__ float of(float x) const {
        return KIND == SOFTMAX_LOG ? x - base - factor : kz_exp_below(x - base) * factor;
    }
};

// ---- programs ------------------------------------------------------------------------------------------------

// One pass for largest and sum together. Where the row is in registers, the thread's own largest comes first: then the sum
// takes one exponential per element, which is kept for the result.
template <typename T, int KIND> struct softmax_forward : kz_row_program<T> {
    enum { E = 16 / sizeof(T), BACK = false };
    static const bool READS_PART = KIND == SOFTMAX_CAUSAL,
                      HIDES = KIND == SOFTMAX_MASKED || KIND == SOFTMAX_CAUSAL;
    const T *x;
    const unsigned char *mask;
    T *y;
    size_t rows; // of a batch

    __device__ __forceinline__ softmax_forward(const T *x_, const void *mask_, T *y_, size_t rows_)
        : x(x_), mask((const unsigned char *)mask_), y(y_), rows(rows_) {}
    __device__ __forceinline__ const T *array(int) const { return x; }
    __device__ __forceinline__ bool aligned(void) const { return kz_row_aligned(mask, y); }
    __device__ __forceinline__ float outside(void) const { return KZ_MINUS_INFINITY; }
    __device__ __forceinline__ int read(size_t row, int columns) const {
        return visible_of(KIND, row, rows, columns);
    }

    // The elements of a unit, those that are not seen as -Inf.
    template <class Unit>
    __device__ __forceinline__ void take(float (&v)[E], const Unit &unit, const kz_row_at &at,
                                         int seen) const {
        unsigned char keep[E];
        if (KIND == SOFTMAX_MASKED) {
#pragma unroll
            for (int e = 0; e < E; e++) keep[e] = 0;
            kz_row_get_elements<KZ_CACHE>(keep, mask + at.row * (size_t)at.columns + at.column, at);
        }
#pragma unroll
        for (int e = 0; e < E; e++) {
            v[e] = unit.get(0, e);
            if (KIND == SOFTMAX_MASKED && keep[e] == 0) v[e] = KZ_MINUS_INFINITY;
            if (KIND == SOFTMAX_CAUSAL && at.column + e >= seen) v[e] = KZ_MINUS_INFINITY;
        }
    }
    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        if constexpr (Row::HELD)
            run_held(row);
        else
            run_passes(row);
    }

    // Elements that are not seen become -Inf in the units; this thread's largest is returned.
    template <class Row> __device__ __forceinline__ float prepare(Row &row) const {
        const int seen = row.place.read;
        float max = KZ_MINUS_INFINITY;
        row.each([&](typename Row::unit &unit, const kz_row_at &at) {
            if constexpr (HIDES) {
                float v[E];
                take(v, unit, at, seen);
#pragma unroll
                for (int e = 0; e < E; e++) kz_narrow(&unit.at[0].at[e], v[e]);
            }
            max = fmaxf(max, kz_pack_max(unit.at[0]));
        });
        return max;
    }
    template <class Row> __device__ __forceinline__ void run_held(Row &row) const {
        typedef typename Row::unit unit_of;
        float power[Row::UNITS][E];
        const float own = prepare(row), own_base = kz_softmax_base(own);
        kz_online_softmax::value folded = row.template fold<kz_online_softmax>(
            [&](kz_online_softmax::value v, const unit_of &unit, const kz_row_at &at) {
#pragma unroll
                for (int e = 0; e < E; e++) {
                    float one = kz_exp_below(unit.get(0, e) - own_base);
                    if (KIND != SOFTMAX_LOG) power[at.unit][e] = one;
                    v.sum += one;
                }
                return kz_online_softmax::value{own, v.sum};
            });
        softmax_result<KIND> result(folded);
        // By `own`, not its base: a thread that sees -Inf alone has a factor of 0, where exp(0 - base) may be infinite.
        const float factor = KIND == SOFTMAX_LOG ? 0.0f : kz_exp_below(own - result.base) * result.factor;
        row.write([&](const unit_of &unit, const kz_row_at &at) {
            float v[E];
#pragma unroll
            for (int e = 0; e < E; e++)
                v[e] = KIND == SOFTMAX_LOG ? result.of(unit.get(0, e)) : power[at.unit][e] * factor;
            kz_row_put_float(y, at, v);
        });
    }
    template <class Row> __device__ __forceinline__ void run_passes(Row &row) const {
        typedef typename Row::unit unit_of;
        const int seen = row.place.read;
        kz_online_softmax::value folded = row.template fold<kz_online_softmax>(
            [&](kz_online_softmax::value v, const unit_of &unit, const kz_row_at &at) {
                float x[E], max = HIDES ? v.max : fmaxf(v.max, kz_pack_max(unit.at[0]));
                take(x, unit, at, seen);
#pragma unroll
                for (int e = 0; HIDES && e < E; e++) max = fmaxf(max, x[e]);
                float base = kz_softmax_base(max), sum = v.sum;
                if (max > v.max) sum = kz_online_softmax::scaled(v, max);
#pragma unroll
                for (int e = 0; e < E; e++) sum += kz_exp_below(x[e] - base);
                return kz_online_softmax::value{max, sum};
            });
        softmax_result<KIND> result(folded);
        row.write([&](const unit_of &unit, const kz_row_at &at) {
            float v[E];
            take(v, unit, at, seen);
#pragma unroll
            for (int e = 0; e < E; e++) v[e] = result.of(v[e]);
            kz_row_put_float(y, at, v);
        });
    }
};

// Array 0 is y, array 1 dy.
template <typename T, bool LOG> struct softmax_gradient : kz_row_program<T, 2> {
    enum { E = 16 / sizeof(T), BACK = true };
    const T *y, *dy;
    T *dx;

    __device__ __forceinline__ softmax_gradient(const T *y_, const void *dy_, T *dx_, size_t)
        : y(y_), dy((const T *)dy_), dx(dx_) {}
    __device__ __forceinline__ const T *array(int k) const { return k == 0 ? y : dy; }
    __device__ __forceinline__ bool aligned(void) const { return kz_row_aligned(dx); }

    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        float sum = row.template fold<kz_row_sum>(
            [&](float so_far, const typename Row::unit &unit, const kz_row_at &) {
#pragma unroll
                for (int e = 0; e < E; e++)
                    so_far = LOG ? so_far + unit.get(1, e) : fmaf(unit.get(0, e), unit.get(1, e), so_far);
                return so_far;
            });
        row.write([&](const typename Row::unit &unit, const kz_row_at &at) {
            float v[E];
#pragma unroll
            for (int e = 0; e < E; e++) v[e] = gradient(unit.get(0, e), unit.get(1, e), sum);
            kz_row_put_float(dx, at, v);
        });
    }
    static __device__ __forceinline__ float gradient(float y, float dy, float sum) {
        return LOG ? dy - kz_exp_below(y) * sum : y * (dy - sum);
    }
};

template <typename T> using softmax_plain = softmax_forward<T, SOFTMAX_PLAIN>;
template <typename T> using softmax_log = softmax_forward<T, SOFTMAX_LOG>;
template <typename T> using softmax_masked = softmax_forward<T, SOFTMAX_MASKED>;
template <typename T> using softmax_causal = softmax_forward<T, SOFTMAX_CAUSAL>;
template <typename T> using softmax_back = softmax_gradient<T, false>;
template <typename T> using softmax_log_back = softmax_gradient<T, true>;

// ---- entries -------------------------------------------------------------------------------------------------

// KERNEL(operation, type, T, program) for every operation and type.
#define SOFTMAX_OF_TYPE(KERNEL, type, T)                                                                     \
    KERNEL(softmax, type, T, softmax_plain<T>)                                                               \
    KERNEL(log_softmax, type, T, softmax_log<T>)                                                             \
    KERNEL(masked, type, T, softmax_masked<T>)                                                               \
    KERNEL(causal, type, T, softmax_causal<T>)                                                               \
    KERNEL(backward, type, T, softmax_back<T>)                                                               \
    KERNEL(log_backward, type, T, softmax_log_back<T>)
#define SOFTMAX_ALL(KERNEL)                                                                                  \
    SOFTMAX_OF_TYPE(KERNEL, f32, float)                                                                      \
    SOFTMAX_OF_TYPE(KERNEL, f16, kz_f16)                                                                     \
    SOFTMAX_OF_TYPE(KERNEL, bf16, kz_bf16)

// What every kernel takes: x, the mask and y, or y, dy and dx; `extra` is what a variant's plan adds.
#define SOFTMAX_ARGS(T)                                                                                      \
    (const T *a, const void *b, T *out, size_t batch, size_t rows, size_t columns, unsigned extra)

#endif

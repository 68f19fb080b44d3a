// cross_entropy: what the variants share. The programs that the row frame runs (kz/device/row.cuh), what an element counts
// as, the entries.
//
// With m the largest logit of a row and S the sum of its exp(x - m), the loss is
//     (1 - s) (m - x of the label) + s (m - mean of x) + log(S)
// whose parts are small where the row's logits are near each other, however large they are.
#ifndef CROSS_ENTROPY_CUH
#define CROSS_ENTROPY_CUH

#include "kz/device/online_softmax.cuh"
#include "kz/device/row.cuh"
#include "tune.h"

#define NOT_A_NUMBER __uint_as_float(0x7fffffffu)

// What a row is folded to: its exponentials, the sum of its logits, and the label's logit, which one thread finds. A logit
// that is read by itself, behind the fold, could be a gradient already.
struct entropy_fold {
    struct value {
        kz_online_softmax::value e;
        float total, label;
    };
    static __device__ __forceinline__ value identity(void) {
        return {kz_online_softmax::identity(), 0.0f, 0.0f};
    }
    static __device__ __forceinline__ value combine(value a, value b) {
        return {kz_online_softmax::combine(a.e, b.e), a.total + b.total, a.label + b.label};
    }
    static __device__ __forceinline__ value fold_lanes(value v, int lanes) {
        return {kz_online_softmax::fold_lanes(v.e, lanes), kz_row_swap_lanes<kz_row_sum>(v.total, lanes),
                kz_row_swap_lanes<kz_row_sum>(v.label, lanes)};
    }
};

// A row's label, and what its gradient is made of.
struct entropy_target {
    int label;       // negative: ignored
    float smoothing; // s
    float rest;      // s / classes
    bool wrong;      // no class has this label

    __device__ __forceinline__ entropy_target(const int *labels, size_t row, int classes, float s)
        : label(labels[row]), smoothing(s), rest(s / (float)classes), wrong(label >= classes) {}
    __device__ __forceinline__ bool counts(void) const { return label >= 0; }
    // Whether one of `count` columns from `column` is the label's.
    __device__ __forceinline__ bool within(int column, int count) const {
        return (unsigned)label - (unsigned)column < (unsigned)count;
    }
    __device__ __forceinline__ float loss(entropy_fold::value v, int classes) const {
        float base = kz_softmax_base(v.e.max), of_label = base - v.label;
        float of_all = smoothing == 0.0f ? 0.0f : smoothing * (base - v.total / (float)classes);
        float of_one = smoothing == 1.0f ? 0.0f : (1.0f - smoothing) * of_label;
        if (v.e.max == KZ_MINUS_INFINITY || wrong) return counts() ? NOT_A_NUMBER : 0.0f;
        return counts() ? of_one + of_all + logf(v.e.sum) : 0.0f;
    }
    // Of a column, from its probability.
    __device__ __forceinline__ float gradient(float p, int column, float factor) const {
        float q = rest + (column == label ? 1.0f - smoothing : 0.0f);
        if (!counts()) return 0.0f;
        return wrong ? NOT_A_NUMBER : factor * (p - q);
    }
};

static __device__ __forceinline__ float log_sum_of(kz_online_softmax::value e) {
    return e.sum == 0.0f ? KZ_MINUS_INFINITY : kz_softmax_base(e.max) + logf(e.sum);
}

// ---- programs ------------------------------------------------------------------------------------------------

template <typename T> struct entropy_program : kz_row_program<T> {
    enum { E = 16 / sizeof(T) };
    const T *x;
    const int *labels;
    float smoothing;
    __device__ __forceinline__ entropy_program(const T *x_, const int *labels_, float s)
        : x(x_), labels(labels_), smoothing(s) {}
    __device__ __forceinline__ const T *array(int) const { return x; }
    __device__ __forceinline__ float outside(void) const { return KZ_MINUS_INFINITY; }
    __device__ __forceinline__ entropy_target target(size_t row, int classes) const {
        return entropy_target(labels, row, classes, smoothing);
    }

    // Held in registers, the thread's own largest comes first, so that the sum takes one exponential per element.
    template <class Row> static __device__ __forceinline__ float own_max(Row &row) {
        float max = KZ_MINUS_INFINITY;
        row.each([&](const typename Row::unit &unit, const kz_row_at &) {
            max = fmaxf(max, kz_pack_max(unit.at[0]));
        });
        return max;
    }
    template <class Row>
    __device__ __forceinline__ entropy_fold::value fold(Row &row, const entropy_target &target) const {
        const float own = Row::HELD ? own_max(row) : 0.0f;
        return row.template fold<entropy_fold>(
            [&](entropy_fold::value v, const typename Row::unit &unit, const kz_row_at &at) {
                float max = Row::HELD ? own : fmaxf(v.e.max, kz_pack_max(unit.at[0]));
                float base = kz_softmax_base(max);
                if (!Row::HELD && max > v.e.max) v.e.sum = kz_online_softmax::scaled(v.e, max);
                v.e.max = max;
#pragma unroll
                for (int e = 0; e < E; e++) v.e.sum += kz_exp_below(unit.get(0, e) - base);
                if (target.smoothing != 0.0f) {
#pragma unroll
                    for (int e = 0; e < E; e++)
                        if (at.whole || at.inside(e)) v.total += unit.get(0, e);
                }
                if (target.within(at.column, E)) {
#pragma unroll
                    for (int e = 0; e < E; e++)
                        if (at.column + e == target.label && at.inside(e)) v.label += unit.get(0, e);
                }
                return v;
            });
    }
    // Writes factor (p - q), p = exp(x - base) share. All but one element of a row that counts are p times a factor, less another.
    template <class Row>
    static __device__ __forceinline__ void put(Row &row, const entropy_target &target, float base,
                                               float share, float factor, T *to) {
        const bool simple =
            target.counts() && !target.wrong && factor - factor == 0.0f; // Inf less Inf is no gradient
        const float slope = factor * share, level = factor * target.rest;
        row.write([&](const typename Row::unit &unit, const kz_row_at &at) {
            float v[E];
            if (simple && !target.within(at.column, E)) {
#pragma unroll
                for (int e = 0; e < E; e++) v[e] = fmaf(kz_exp_below(unit.get(0, e) - base), slope, -level);
            } else {
#pragma unroll
                for (int e = 0; e < E; e++)
                    v[e] =
                        target.gradient(kz_exp_below(unit.get(0, e) - base) * share, at.column + e, factor);
            }
            kz_row_put_float(to, at, v);
        });
    }
};

template <typename T> struct entropy_loss : entropy_program<T> {
    float *loss, *log_sum;
    __device__ __forceinline__ entropy_loss(const T *x, const int *labels, float *loss_, float *log_sum_,
                                            float smoothing)
        : entropy_program<T>(x, labels, smoothing), loss(loss_), log_sum(log_sum_) {}
    __device__ __forceinline__ void finish(size_t row, entropy_fold::value v, const entropy_target &target,
                                           int classes) const {
        loss[row] = target.loss(v, classes);
        log_sum[row] = log_sum_of(v.e);
    }
    __device__ __forceinline__ bool aligned(void) const { return true; }
    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        entropy_target target = this->target(row.row(), row.columns());
        entropy_fold::value v = this->fold(row, target);
        if (row.leader()) finish(row.row(), v, target, row.columns());
    }
};

template <typename T> struct entropy_gradient : entropy_program<T> {
    T *out;
    const float *scale;
    float *loss;
    __device__ __forceinline__ entropy_gradient(T *x, const int *labels, const float *scale_, float *loss_,
                                                float smoothing)
        : entropy_program<T>(x, labels, smoothing), out(x), scale(scale_), loss(loss_) {}
    __device__ __forceinline__ bool aligned(void) const { return kz_row_aligned(out); }
    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        entropy_target target = this->target(row.row(), row.columns());
        entropy_fold::value v = this->fold(row, target);
        if (row.leader()) loss[row.row()] = target.loss(v, row.columns());
        this->put(row, target, kz_softmax_base(v.e.max), 1.0f / v.e.sum, *scale, out);
    }
};

template <typename T> struct entropy_backward : entropy_program<T> {
    const float *log_sum, *dloss;
    T *out;
    __device__ __forceinline__ entropy_backward(const T *x, const int *labels, const float *log_sum_,
                                                const float *dloss_, T *out_, float smoothing)
        : entropy_program<T>(x, labels, smoothing), log_sum(log_sum_), dloss(dloss_), out(out_) {}
    __device__ __forceinline__ bool aligned(void) const { return kz_row_aligned(out); }
    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        this->put(row, this->target(row.row(), row.columns()), log_sum[row.row()], 1.0f, dloss[row.row()],
                  out);
    }
};

// ---- entries -------------------------------------------------------------------------------------------------

// What the kernels take, and the programs that they make of it; `extra` is what a variant's plan adds.
#define LOSS_ARGS(T)                                                                                         \
    (const T *x, const int *labels, float *loss, float *log_sum, size_t rows, size_t classes,                \
     float smoothing, unsigned extra)
#define GRADIENT_ARGS(T)                                                                                     \
    (T * x, const int *labels, const float *scale, float *loss, size_t rows, size_t classes,                 \
     float smoothing, unsigned extra)
#define BACKWARD_ARGS(T)                                                                                     \
    (const T *x, const int *labels, const float *log_sum, const float *dloss, T *dx, size_t rows,            \
     size_t classes, float smoothing, unsigned extra)
#define LOSS_PROGRAM(T)     entropy_loss<T>(x, labels, loss, log_sum, smoothing)
#define GRADIENT_PROGRAM(T) entropy_gradient<T>(x, labels, scale, loss, smoothing)
#define BACKWARD_PROGRAM(T) entropy_backward<T>(x, labels, log_sum, dloss, dx, smoothing)

// KERNEL(operation, type, arguments, program) for every operation and type.
#define ENTROPY_OF_TYPE(KERNEL, type, T)                                                                     \
    KERNEL(loss, type, LOSS_ARGS(T), LOSS_PROGRAM(T))                                                        \
    KERNEL(gradient, type, GRADIENT_ARGS(T), GRADIENT_PROGRAM(T))                                            \
    KERNEL(backward, type, BACKWARD_ARGS(T), BACKWARD_PROGRAM(T))
#define ENTROPY_ALL(KERNEL)                                                                                  \
    ENTROPY_OF_TYPE(KERNEL, f32, float)                                                                      \
    ENTROPY_OF_TYPE(KERNEL, f16, kz_f16)                                                                     \
    ENTROPY_OF_TYPE(KERNEL, bf16, kz_bf16)

#endif

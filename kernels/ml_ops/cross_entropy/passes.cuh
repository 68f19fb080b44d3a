// cross_entropy: the formula as it stands, in passes over the row, an element at a time: 01 and 02.
#ifndef CROSS_ENTROPY_PASSES_CUH
#define CROSS_ENTROPY_PASSES_CUH

#include "cross_entropy.cuh"

struct entropy_max {
    typedef float value;
    static __device__ __forceinline__ float identity(void) { return KZ_MINUS_INFINITY; }
    static __device__ __forceinline__ float combine(float a, float b) { return fmaxf(a, b); }
};

// Columns first, first + step, ... of a row are this thread's; `team` folds.
struct entropy_columns {
    size_t begin; // the row's first element
    int first, step, classes;
};

template <typename T, class Team>
static __device__ __forceinline__ entropy_fold::value
fold_row(const entropy_program<T> &p, const entropy_target &target, Team &team, const entropy_columns &at) {
    entropy_fold::value v = entropy_fold::identity();
    for (int c = at.first; c < at.classes; c += at.step)
        v.e.max = fmaxf(v.e.max, kz_widen(p.x[at.begin + c]));
    v.e.max = team.template fold<entropy_max>(v.e.max);
    for (int c = at.first; c < at.classes; c += at.step) {
        float x = kz_widen(p.x[at.begin + c]);
        v.e.sum += kz_exp_below(x - kz_softmax_base(v.e.max));
        v.total += x;
        if (c == target.label) v.label = x;
    }
    return team.template fold<entropy_fold>(v);
}

template <typename T>
static __device__ __forceinline__ void put_row(const entropy_program<T> &p, const entropy_target &target,
                                               const entropy_columns &at, float base, float share,
                                               float factor, T *to) {
    for (int c = at.first; c < at.classes; c += at.step) {
        float e = kz_exp_below(kz_widen(p.x[at.begin + c]) - base);
        kz_narrow(&to[at.begin + c], target.gradient(e * share, c, factor));
    }
}

template <typename T, class Team>
static __device__ __forceinline__ void take_row(const entropy_loss<T> &p, Team &team, size_t row,
                                                const entropy_columns &at) {
    entropy_target target = p.target(row, at.classes);
    entropy_fold::value v = fold_row(p, target, team, at);
    if (at.first == 0) p.finish(row, v, target, at.classes);
}

template <typename T, class Team>
static __device__ __forceinline__ void take_row(const entropy_gradient<T> &p, Team &team, size_t row,
                                                const entropy_columns &at) {
    entropy_target target = p.target(row, at.classes);
    entropy_fold::value v = fold_row(p, target, team, at);
    if (at.first == 0) p.loss[row] = target.loss(v, at.classes);
    put_row(p, target, at, kz_softmax_base(v.e.max), 1.0f / v.e.sum, *p.scale, p.out);
}

template <typename T, class Team>
static __device__ __forceinline__ void take_row(const entropy_backward<T> &p, Team &, size_t row,
                                                const entropy_columns &at) {
    put_row(p, p.target(row, at.classes), at, p.log_sum[row], 1.0f, p.dloss[row], p.out);
}

#endif

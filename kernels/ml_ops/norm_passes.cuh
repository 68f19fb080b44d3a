// layernorm and rmsnorm: the formulas as they stand, in passes over a row, an element at a time: 01 and 02.
#ifndef NORM_PASSES_CUH
#define NORM_PASSES_CUH

#include "ml_ops/norm_back.cuh"

// Columns first, first + step, ... of a row are this thread's; `team` folds.
struct norm_columns {
    size_t row;
    int first, step, columns;
    __device__ __forceinline__ size_t at(int column) const { return row * (size_t)columns + column; }
};

// ---- forward -------------------------------------------------------------------------------------------------

template <int KIND, typename T>
static __device__ __forceinline__ float norm_element(const norm_given<T> &given, size_t i) {
    float x = kz_widen(given.x[i]);
    return KIND == NORM_RESIDUAL ? norm_rounded<T>(x + kz_widen(given.residual[i])) : x;
}

template <bool CENTERED, int KIND, typename T, class Team>
static __device__ __forceinline__ norm_row norm_two_passes(const norm_given<T> &given, Team &team,
                                                           const norm_columns &its) {
    float mean = 0.0f, squares = 0.0f;
    if (CENTERED) {
        for (int c = its.first; c < its.columns; c += its.step) mean += norm_element<KIND>(given, its.at(c));
        mean = team.template fold<norm_sum>(mean) / (float)its.columns;
    }
    for (int c = its.first; c < its.columns; c += its.step) {
        float d = norm_element<KIND>(given, its.at(c)) - mean;
        squares = fmaf(d, d, squares);
    }
    return {mean, norm_rstd(team.template fold<norm_sum>(squares), its.columns, given.epsilon)};
}

template <bool CENTERED, int KIND, typename T, class Team>
static __device__ __forceinline__ void norm_take(const norm_given<T> &given, Team &team,
                                                 const norm_columns &its) {
    norm_row s = norm_two_passes<CENTERED, KIND>(given, team, its);
    if (CENTERED && its.first == 0) given.mean[its.row] = s.mean, given.rstd[its.row] = s.rstd;
    for (int c = its.first; c < its.columns; c += its.step) {
        float x = norm_element<KIND>(given, its.at(c)), gamma = kz_widen(given.gamma[c]);
        float y = CENTERED ? fmaf(s.of(x), gamma, kz_widen(given.beta[c])) : x * s.rstd * gamma;
        if (KIND == NORM_RESIDUAL) kz_narrow(&given.sum[its.at(c)], x);
        if (KIND == NORM_FP8)
            kz_narrow(&((kz_e4m3 *)given.y)[its.at(c)], y * *given.scale);
        else
            kz_narrow(&((T *)given.y)[its.at(c)], y);
    }
}

// ---- backward ------------------------------------------------------------------------------------------------

// dx of a row; with ATOMICS, what the row adds to each column's sums too.
template <bool CENTERED, bool ATOMICS, typename T, class Team>
static __device__ __forceinline__ void norm_take_back(const norm_back_given<T> &given, Team &team,
                                                      const norm_columns &its) {
    norm_row s = {CENTERED ? given.mean[its.row] : 0.0f, CENTERED ? given.rstd[its.row] : 0.0f};
    norm_pair::value sums = norm_pair::identity();
    for (int c = its.first; c < its.columns; c += its.step)
        sums = norm_onto<CENTERED>(sums, kz_widen(given.x[its.at(c)]),
                                   kz_widen(given.dy[its.at(c)]) * kz_widen(given.gamma[c]), s);
    norm_gradient_of<CENTERED> of(team.template fold<norm_pair>(sums), s, its.columns, given.epsilon);
    if (!CENTERED && !ATOMICS && its.first == 0) given.rstd_out[its.row] = of.s.rstd;
    for (int c = its.first; c < its.columns; c += its.step) {
        float h = of.h(kz_widen(given.x[its.at(c)])), dy = kz_widen(given.dy[its.at(c)]);
        kz_narrow(&given.dx[its.at(c)], of.dx(h, dy * kz_widen(given.gamma[c])));
        if (ATOMICS) atomicAdd(&given.parts[c], dy * h);
        if (ATOMICS && CENTERED) atomicAdd(&given.parts[its.columns + c], dy);
    }
}

// A thread per column, which goes down all rows.
#define NORM_DOWN_ARGS(T)                                                                                    \
    (const T *dy, const T *x, const float *mean, const float *rstd, T *dgamma, T *dbeta, size_t rows,        \
     size_t columns)
template <bool CENTERED, typename T>
static __device__ __forceinline__ void norm_add_down(const T *dy, const T *x, const float *mean,
                                                     const float *rstd, T *dgamma, T *dbeta, size_t rows,
                                                     size_t columns) {
    size_t column = kz_thread();
    float of_gamma = 0.0f, of_beta = 0.0f;
    if (column >= columns) return;
    for (size_t row = 0; row < rows; row++) {
        float g = kz_widen(dy[row * columns + column]), wide = kz_widen(x[row * columns + column]);
        of_gamma = fmaf(g, (CENTERED ? wide - mean[row] : wide) * rstd[row], of_gamma);
        of_beta += g;
    }
    kz_narrow(&dgamma[column], of_gamma);
    if (CENTERED) kz_narrow(&dbeta[column], of_beta);
}

#endif

// softmax: the formula as it stands, in passes over the row: 01 and 02.
#ifndef SOFTMAX_PASSES_CUH
#define SOFTMAX_PASSES_CUH

#include "softmax.cuh"

// An element at a time: columns first, first + step, ... of the row are this thread's, `team` folds.
template <typename T, int KIND, class Team>
static __device__ __forceinline__ void take_row(const softmax_forward<T, KIND> &p, Team &team, size_t row,
                                                int columns, int first, int step) {
    const int seen = p.read(row, columns);
    const T *x = p.x + row * (size_t)columns;
    const unsigned char *mask = p.mask + row * (size_t)columns;
    auto at = [&](int c) {
        if (c >= seen || (KIND == SOFTMAX_MASKED && mask[c] == 0)) return MINUS_INFINITY;
        return kz_widen(x[c]);
    };
    float max = MINUS_INFINITY, sum = 0.0f;
    for (int c = first; c < columns; c += step) max = fmaxf(max, at(c));
    max = team.template fold<softmax_max>(max);
    for (int c = first; c < columns; c += step) sum += exp_of(at(c) - base_of(max));
    sum = team.template fold<softmax_sum>(sum);
    softmax_result<KIND> result({max, sum});
    for (int c = first; c < columns; c += step) kz_narrow(&p.y[row * (size_t)columns + c], result.of(at(c)));
}

template <typename T, bool LOG, class Team>
static __device__ __forceinline__ void take_row(const softmax_gradient<T, LOG> &p, Team &team, size_t row,
                                                int columns, int first, int step) {
    const size_t begin = row * (size_t)columns;
    float sum = 0.0f;
    for (int c = first; c < columns; c += step) {
        float dy = kz_widen(p.dy[begin + c]);
        sum = LOG ? sum + dy : fmaf(kz_widen(p.y[begin + c]), dy, sum);
    }
    sum = team.template fold<softmax_sum>(sum);
    for (int c = first; c < columns; c += step)
        kz_narrow(&p.dx[begin + c], p.gradient(kz_widen(p.y[begin + c]), kz_widen(p.dy[begin + c]), sum));
}

#endif

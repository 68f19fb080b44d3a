// cross_entropy: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24, t = x - m for the largest logit m, e = exp(t). The power of 2 is the GPU's: 2 ulp (CUDA's tables), and its
// argument carries three roundings, so e is off by (4 + 3 |t|) u of itself. The sum S of a row has the mean of these errors,
// weighed by their shares, and the roundings of n additions of positive numbers: six deviations of sqrt(n / 3) u, or
// (n + 1) / 2 u where all are equal, for then all may go one way (as rmsnorm); twice that, for an online sum is scaled
// whenever the largest grows. log(S) is off by that relative error of S, and by 2 u of itself. The mean of a row's logits
// has the roundings of n additions of up to the sum of magnitudes. What is left is a handful of roundings of the terms.
//
// Probabilities below 2^-126 may be zero. Each result is rounded once to its type.
#include <math.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 16 };

static const double smallest = 0x1p-126, u = 0x1p-24;

typedef struct row_fold {
    double base, sum, total;
    double sum_error;   // relative, of the sum
    double total_error; // absolute, of the total
} row_fold;

static double logit(const kz_case *c, void *const *host, uint64_t row, uint64_t column) {
    return kz_element_get(c->type, host[LOGITS], row * (uint64_t)c->axes[CLASSES] + column);
}

static double roundings(double n, bool equal) {
    double drawn = DEVIATIONS * (sqrt(n / 3.0) + 1.0);
    return 2.0 * (equal ? fmax(drawn, (n + 1.0) / 2.0 + 1.0) : drawn) + TERMS;
}

static row_fold fold(const kz_case *c, void *const *host, uint64_t row) {
    uint64_t classes = (uint64_t)c->axes[CLASSES];
    double n = (double)classes, weighed = 0.0, magnitudes = 0.0;
    row_fold f = {.base = -INFINITY};
    bool equal = true;
    for (uint64_t i = 0; i < classes; i++) {
        double x = logit(c, host, row, i);
        equal = equal && x == logit(c, host, row, 0);
        f.base = fmax(f.base, x);
    }
    if (isinf(f.base) && f.base < 0.0) f.base = 0.0;
    for (uint64_t i = 0; i < classes; i++) {
        double x = logit(c, host, row, i), t = x - f.base, e = exp(t);
        f.sum += e, f.total += x, magnitudes += fabs(x);
        if (e > 0.0) weighed += e * (4.0 + 3.0 * fabs(t));
    }
    f.sum_error = u * ((f.sum > 0.0 ? weighed / f.sum : 0.0) + roundings(n, equal)) + smallest * n;
    f.total_error = u * magnitudes * fmin(n, roundings(n, true));
    return f;
}

static void set(kz_type type, double value, double wide, double *expected, double *bound) {
    *expected = kz_saturate(type, value);
    *bound = isfinite(value) ? wide + kz_half_ulp(type, fabs(value) + wide) : 0.0;
}

static void refer_loss(const kz_case *c, void *const *host, uint64_t row, double *expected, double *bound) {
    row_fold f = fold(c, host, row);
    int32_t label = ((const int32_t *)host[LABELS])[row];
    double s = cross_entropy_smoothing(c), n = (double)c->axes[CLASSES], log_sum = log(f.sum);
    if (label < 0 || label >= c->axes[CLASSES] || f.sum == 0.0) {
        set(KZ_F32, label < 0 ? 0.0 : NAN, 0.0, expected, bound);
        return;
    }
    double of_one = s == 1.0 ? 0.0 : (1.0 - s) * (f.base - logit(c, host, row, (uint64_t)label));
    double of_all = s == 0.0 ? 0.0 : s * (f.base - f.total / n);
    double wide = f.sum_error + u * (2.0 * fabs(log_sum) + 4.0 * fabs(of_one) + 6.0 * fabs(of_all));
    if (s != 0.0) wide += s * (f.total_error + 4.0 * u * fabs(f.total)) / n;
    set(KZ_F32, of_one + of_all + log_sum, wide + 2.0 * u * fabs(of_one + of_all), expected, bound);
}

static void refer_log_sum(const kz_case *c, void *const *host, uint64_t row, double *expected,
                          double *bound) {
    row_fold f = fold(c, host, row);
    double log_sum = log(f.sum);
    set(KZ_F32, f.base + log_sum, f.sum_error + 2.0 * u * fabs(log_sum), expected, bound);
}

// The gradient of a row: p has the relative error `relative`, besides that of its own exponential.
static void refer_gradient(const kz_case *c, void *const *host, uint64_t row, double log_sum, double base,
                           double relative, double factor, double *expected, double *bound) {
    uint64_t classes = (uint64_t)c->axes[CLASSES];
    int32_t label = ((const int32_t *)host[LABELS])[row];
    double s = cross_entropy_smoothing(c), rest = s / (double)classes;
    for (uint64_t i = 0; i < classes; i++) {
        double x = logit(c, host, row, i), p = exp(x - log_sum);
        double q = rest + ((int64_t)i == label ? 1.0 - s : 0.0), wide = 0.0;
        if (p > 0.0) wide = p * (u * (8.0 + 3.0 * fabs(x - base)) + relative);
        wide = fabs(factor) * (wide + (isinf(x) ? 0.0 : 2.0 * smallest) + u * (4.0 * q + 2.0 * fabs(p - q)));
        if (label >= 0 && (uint64_t)label >= classes) p = NAN;
        set(c->type, label < 0 ? 0.0 : factor * (p - q), label < 0 ? 0.0 : wide, &expected[i], &bound[i]);
    }
}

static void refer_logits(const kz_case *c, void *const *host, uint64_t row, double *expected, double *bound) {
    if (c->operation == KZ_CROSS_ENTROPY_BACKWARD) {
        double log_sum = (double)((const float *)host[LOG_SUM_IN])[row];
        double dloss = (double)((const float *)host[DLOSS])[row];
        refer_gradient(c, host, row, log_sum, log_sum, 0.0, dloss, expected, bound);
        return;
    }
    row_fold f = fold(c, host, row);
    refer_gradient(c, host, row, f.base + log(f.sum), f.base, f.sum_error,
                   (double)*(const float *)host[SCALE], expected, bound);
}

kz_status cross_entropy_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                  double *bound, kz_error *error) {
    uint64_t rows = (uint64_t)c->axes[ROWS], classes = (uint64_t)c->axes[CLASSES];
    bool loss = c->operation == KZ_CROSS_ENTROPY_LOSS;
    for (uint64_t row = 0; row < rows; row++)
        if (loss && which == LOG_SUM)
            refer_log_sum(c, host, row, &expected[row], &bound[row]);
        else if (loss || (c->operation == KZ_CROSS_ENTROPY_GRADIENT && which == LOSS_TOO))
            refer_loss(c, host, row, &expected[row], &bound[row]);
        else
            refer_logits(c, host, row, expected + row * classes, bound + row * classes);
    return KZ_OK;
}

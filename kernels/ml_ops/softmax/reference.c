// softmax: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24. The power of 2 is the GPU's, 2 ulp, and its argument (x - m) log2(e) carries three roundings: of the
// difference, the constant and the product, each |x - m| u at most as a relative error of the exponential. A sum of
// exponentials has the mean of these errors, each weighed by its share. n additions of positive numbers: after i of them the
// partial sum is about i/n of the whole, and a rounding moves it by u times that at most; taken as independent, all have a
// deviation of u sqrt(n / 3), of which six are allowed, or where all terms are equal and may round alike, u (n + 1) / 2. An
// online sum is scaled where the largest grows, no more often than it is added to: twice that. Merging what threads have
// adds TERMS u. Results, and exponentials in a sum, below 2^-126 may be zero.
//
// Backward, partial sums are no larger than the sum of the terms' magnitudes, which stands for the sum in the above.
// The result is rounded once to the type: sums in a half type are out.
#include <math.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 16 };

static const double smallest = 0x1p-126;

static double seen(const kz_case *c, void *const *host, uint64_t row, uint64_t column) {
    uint64_t columns = (uint64_t)c->axes[COLUMNS], i = row * columns + column;
    if (c->operation == KZ_SOFTMAX_MASKED && ((const uint8_t *)host[MASK])[i] == 0) return -INFINITY;
    if (c->operation == KZ_SOFTMAX_CAUSAL && column >= softmax_visible(row, (uint64_t)c->axes[ROWS], columns))
        return -INFINITY;
    return kz_element_get(c->type, host[X], i);
}

// Roundings of a sum of n terms, in u.
static double roundings(double n, bool equal) {
    double drawn = DEVIATIONS * (sqrt(n / 3.0) + 1.0);
    return (equal ? fmax(drawn, (n + 1.0) / 2.0 + 1.0) : drawn) + TERMS;
}

// The bound of a result that is off by `wide` before it is rounded to the type.
static double bound_of(kz_type type, double y, double wide) {
    return isfinite(y) ? wide + kz_half_ulp(type, fabs(y) + wide) : 0.0;
}

// A row less its largest element, or less 0 where all are -Inf; whether all are equal.
static bool shift(const kz_case *c, void *const *host, uint64_t row, double *shifted) {
    uint64_t columns = (uint64_t)c->axes[COLUMNS];
    double max = -INFINITY;
    bool equal = true;
    for (uint64_t i = 0; i < columns; i++) {
        shifted[i] = seen(c, host, row, i);
        equal = equal && shifted[i] == shifted[0];
        if (shifted[i] > max) max = shifted[i];
    }
    for (uint64_t i = 0; max > -INFINITY && i < columns; i++) shifted[i] -= max;
    return equal;
}

static void refer_forward(const kz_case *c, void *const *host, uint64_t row, double *expected,
                          double *bound) {
    uint64_t columns = (uint64_t)c->axes[COLUMNS];
    double *shifted = bound, sum = 0.0, weighed = 0.0, u = kz_unit_roundoff(KZ_F32), n = (double)columns;
    bool equal = shift(c, host, row, shifted);
    for (uint64_t i = 0; i < columns; i++) {
        expected[i] = exp(shifted[i]);
        sum += expected[i];
        if (expected[i] > 0.0) weighed += expected[i] * (4.0 + 3.0 * fabs(shifted[i]));
    }
    double sum_error = sum > 0.0 ? u * (weighed / sum + 2.0 * roundings(n, equal)) + smallest * n : 0.0;
    double log_sum = sum == 0.0 ? 0.0 : log(sum);
    for (uint64_t i = 0; i < columns; i++) {
        double t = shifted[i], y = t - log_sum,
               wide = 2.0 * u * (fabs(t) + fabs(log_sum) + fabs(y)) + sum_error;
        if (c->operation != KZ_SOFTMAX_LOG) {
            y = sum == 0.0 ? 0.0 : expected[i] / sum;
            wide = y > 0.0 ? y * (u * (8.0 + 3.0 * fabs(t)) + sum_error) : 0.0;
            if (!isinf(t)) wide += 2.0 * smallest;
        }
        expected[i] = kz_saturate(c->type, y);
        bound[i] = bound_of(c->type, y, wide);
    }
}

static double term(const kz_case *c, void *const *host, uint64_t i) {
    double y = c->operation == KZ_SOFTMAX_BACKWARD ? kz_element_get(c->type, host[BACK_Y], i) : 1.0;
    return y * kz_element_get(c->type, host[BACK_DY], i);
}

static void refer_backward(const kz_case *c, void *const *host, uint64_t row, double *expected,
                           double *bound) {
    uint64_t columns = (uint64_t)c->axes[COLUMNS], first = row * columns;
    double sum = 0.0, magnitudes = 0.0, u = kz_unit_roundoff(KZ_F32);
    bool equal = true;
    for (uint64_t i = first; i < first + columns; i++) {
        double one = term(c, host, i);
        equal = equal && one == term(c, host, first);
        sum += one;
        magnitudes += fabs(one);
    }
    double sum_error = u * magnitudes * roundings((double)columns, equal) + smallest * (double)columns;
    for (uint64_t i = 0; i < columns; i++) {
        double y = kz_element_get(c->type, host[BACK_Y], first + i),
               dy = kz_element_get(c->type, host[BACK_DY], first + i), dx = y * (dy - sum),
               wide = fabs(y) * (sum_error + 2.0 * u * fabs(dy - sum));
        if (c->operation == KZ_SOFTMAX_LOG_BACKWARD) {
            double e = exp(y);
            dx = dy - e * sum;
            wide = smallest * fabs(sum);
            if (e > 0.0) wide += e * (sum_error + u * (6.0 + 3.0 * fabs(y)) * fabs(sum));
        }
        expected[i] = kz_saturate(c->type, dx);
        bound[i] = bound_of(c->type, dx, wide + u * fabs(dx) + smallest);
    }
}

kz_status softmax_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error) {
    uint64_t rows = (uint64_t)c->axes[BATCH] * (uint64_t)c->axes[ROWS], columns = (uint64_t)c->axes[COLUMNS];
    for (uint64_t row = 0; row < rows; row++)
        if (softmax_goes_back(c->operation))
            refer_backward(c, host, row, expected + row * columns, bound + row * columns);
        else
            refer_forward(c, host, row, expected + row * columns, bound + row * columns);
    return KZ_OK;
}

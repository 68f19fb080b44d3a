// rmsnorm: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24 and S the sum of a row's n squares: all terms are positive, so after i of n the partial sum is about
// i/n S, and a rounding moves it by at most u times that. Taken as independent, n of them have a deviation of u S sqrt(n
// / 3), and the roundings of the squares themselves one of u S at most; six deviations are allowed. Equal elements
// round alike, so there all may go one way: u S (n + 1) / 2. The factor is a power of -1/2 of the mean: half of that
// relative error arrives. The division, epsilon, the reciprocal square root and two products add TERMS u. The result
// is rounded once to the type: adding squares in a half type, or rounding x times the factor on the way, is out.
#include <math.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 8 };

static double sum_squares(const kz_case *c, const void *x, uint64_t first, bool *equal) {
    double sum = 0.0;
    *equal = true;
    for (int64_t i = 0; i < c->axes[COLUMNS]; i++) {
        double value = kz_element_get(c->type, x, first + (uint64_t)i);
        *equal = *equal && value == kz_element_get(c->type, x, first);
        sum += value * value;
    }
    return sum;
}

kz_status rmsnorm_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error) {
    uint64_t rows = (uint64_t)c->axes[ROWS], columns = (uint64_t)c->axes[COLUMNS];
    double n = (double)columns, u = kz_unit_roundoff(KZ_F32), epsilon = rmsnorm_get_epsilon(c);
    for (uint64_t row = 0; row < rows; row++) {
        bool equal;
        double factor = 1.0 / sqrt(sum_squares(c, host[X], row * columns, &equal) / n + epsilon);
        double sum_error = DEVIATIONS * (sqrt(n / 3.0) + 1.0);
        if (equal) sum_error = fmax(sum_error, (n + 1.0) / 2.0 + 1.0);
        for (uint64_t i = row * columns; i < (row + 1) * columns; i++) {
            double y = kz_element_get(c->type, host[X], i) * factor *
                       kz_element_get(c->type, host[WEIGHT], i % columns);
            expected[i] = kz_saturate(c->type, y);
            double wide = u * (sum_error / 2.0 + TERMS) * fabs(y);
            bound[i] = isfinite(y) ? wide + kz_half_ulp(c->type, fabs(y) + wide) : 0.0;
        }
    }
    return KZ_OK;
}

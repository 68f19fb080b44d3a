// reduce: the right answer, and how far a sum may be from it.
//
// min, max and i32 sums are exact. A float sum rounds after each addition, in an order that nobody fixes.
// Take the order as random and the roundings as independent, each at most u times the partial sum: after i of
// n elements the square of the partial sum is about i/n * Q + (i/n)^2 * S^2, with S the sum and Q the sum of
// squares. Summed over i, the error's standard deviation is below u * sqrt(n * (Q / 2 + S^2 / 3)). Six of
// those are allowed: about ten times what a correct kernel shows, and far below what accumulating in a half
// type does. u is that of the accumulator: 2^-24 for f32, f16 and bf16. The result is rounded once more to
// the type.
#include <math.h>

#include "private.h"

enum { DEVIATIONS = 6 };

double reduce_identity(kz_reduce_operation operation, kz_type type) {
    if (operation == KZ_REDUCE_SUM) return 0.0;
    if (type == KZ_I32) return operation == KZ_REDUCE_MIN ? INT32_MAX : INT32_MIN;
    return operation == KZ_REDUCE_MIN ? INFINITY : -INFINITY;
}

static double extreme(const kz_case *c, const void *in) {
    double best = reduce_identity(c->operation, c->type);
    for (int64_t i = 0; i < c->axes[0]; i++) {
        double x = kz_element_get(c->type, in, i);
        if (isnan(x)) return x;
        if (c->operation == KZ_REDUCE_MIN ? x < best : x > best) best = x;
    }
    return best;
}

static double wrapped_sum(const int32_t *in, int64_t n) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (uint32_t)in[i];
    return (int32_t)sum;
}

static double largest(const kz_case *c, const void *in) {
    double most = 0.0;
    for (int64_t i = 0; i < c->axes[0]; i++) most = fmax(most, fabs(kz_element_get(c->type, in, i)));
    return most;
}

// Neumaier's sum: `lost` gathers what each addition rounds away, so that f64 has a reference better than
// itself.
static double float_sum(const kz_case *c, const void *in, double *bound) {
    double scale = largest(c, in); // squares are taken in its unit, for those of denormals vanish
    double sum = 0.0, lost = 0.0, squares = 0.0;
    for (int64_t i = 0; i < c->axes[0]; i++) {
        double x = kz_element_get(c->type, in, i), next = sum + x;
        lost += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
        squares += (x / scale) * (x / scale);
    }
    if (!isfinite(sum) || scale == 0.0) return sum; // NaN or infinity in, the same out; zeros give zero
    sum += lost;
    double u = kz_unit_roundoff(c->type == KZ_F64 ? KZ_F64 : KZ_F32);
    double units = sqrt((double)c->axes[0] * (squares / 2.0 + (sum / scale) * (sum / scale) / 3.0));
    double error = DEVIATIONS * u * scale * units;
    bool half = c->type == KZ_F16 || c->type == KZ_BF16;
    *bound = error + (half ? kz_half_ulp(c->type, fabs(sum) + error) : 0.0);
    return kz_saturate(c->type, sum);
}

kz_status reduce_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    *bound = 0.0;
    if (c->operation != KZ_REDUCE_SUM)
        *expected = extreme(c, host[IN]);
    else if (c->type == KZ_I32)
        *expected = wrapped_sum(host[IN], c->axes[0]);
    else
        *expected = float_sum(c, host[IN], bound);
    return KZ_OK;
}

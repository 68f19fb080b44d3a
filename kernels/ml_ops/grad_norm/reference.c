// grad_norm: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24 and S the sum of n squares. All terms are positive; added in an order that nobody fixes, roundings taken as
// independent, the sum's error has a deviation of u S sqrt(n / 3), and that of the squares themselves one of u S at most; six
// deviations are allowed. Equal elements round alike, so there all may go one way: u S (n + 1) / 2. A square below float's
// smallest step vanishes, and the hardware's atomic addition takes denormal sums as zero: 2^-148 per element and 2^-126 per chunk are lost
// at most. The root halves a relative error; at its ends the norm is where the sum may be. The root, the scale, the division and the 10^-6
// round within TERMS u. So sums in a half type are out, and partial sums rounded to one. A sum past float's largest is infinite. A
// clipped gradient is a product in float, rounded to its type.
#include <float.h>
#include <math.h>

#include "private.h"

enum { DEVIATIONS = 6, TERMS = 6 };

// The sum of the squares and how far a float sum may be off.
static double sum_squares(const kz_case *c, const void *gradients, double *off) {
    uint64_t n = (uint64_t)c->axes[PARAMETERS_N];
    double sum = 0.0, count = (double)n;
    bool equal = true;
    for (uint64_t i = 0; i < n; i++) {
        double g = kz_element_get(c->type, gradients, i);
        equal = equal && g == kz_element_get(c->type, gradients, 0);
        sum += g * g;
    }
    double units = DEVIATIONS * (sqrt(count / 3.0) + 1.0);
    if (equal) units = fmax(units, (count + 1.0) / 2.0 + 1.0);
    *off = kz_unit_roundoff(KZ_F32) * units * sum + count * 0x1p-148 +
           (double)parameters_chunk_count(c) * 0x1p-126;
    if (sum - *off > FLT_MAX) sum = INFINITY;
    return sum;
}

static double clip_of(double norm, double most) {
    double coefficient = most / (norm + (double)1e-6f);
    return coefficient > 1.0 ? 1.0 : coefficient; // NaN stays
}

static void refer_norm(const kz_case *c, void *const *host, size_t which, double *expected, double *bound) {
    double off, sum = sum_squares(c, host[GRADIENTS], &off), u = kz_unit_roundoff(KZ_F32);
    double scale = c->axes[CONTROL] == CONTROL_SCALE ? (double)*(const float *)host[SCALED] : 1.0;
    double norm = sqrt(sum) * scale, most = grad_norm_max(c);
    *bound = 0.0;
    if (which == NOT_FINITE) {
        *expected = !isfinite(norm);
        return;
    }
    *expected = which == NORM ? norm : clip_of(norm, most) * scale;
    if (!isfinite(sum)) return;
    double low = sqrt(fmax(sum - off, 0.0)) * scale, high = sqrt(sum + off) * scale;
    double wide =
        which == NORM ? fmax(norm - low, high - norm) : (clip_of(low, most) - clip_of(high, most)) * scale;
    *bound = wide + TERMS * u * fabs(*expected);
}

static void refer_clip(const kz_case *c, void *const *host, double *expected, double *bound) {
    double coefficient = *(const float *)host[SCALED];
    for (int64_t i = 0; i < c->axes[PARAMETERS_N]; i++) {
        double product = kz_element_get(c->type, host[GRADIENTS], (uint64_t)i) * coefficient;
        expected[i] = kz_saturate(c->type, product);
        bound[i] = 0.0;
        if (!isfinite(product) || coefficient == 1.0) continue;
        double wide = c->type == KZ_F32 ? 0.0 : kz_half_ulp(KZ_F32, product); // rounded to float on the way
        bound[i] = wide + kz_half_ulp(c->type, fabs(product) + wide);
    }
}

kz_status grad_norm_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error) {
    if (c->operation == OPERATION_CLIP)
        refer_clip(c, host, expected, bound);
    else
        refer_norm(c, host, which, expected, bound);
    return KZ_OK;
}

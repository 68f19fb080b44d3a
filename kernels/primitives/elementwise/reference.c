// elementwise: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24, the unit roundoff of float:
//   scale      one product; relu is exact.
//   gelu_erf   as the formula is written, erf's error and the rounding of 1 + erf are absolute, so the result
//              may be off by some u * |x| (not relative to the result, which vanishes for negative x).
//   sigmoid    x * s(z) with s(z) = 1 / (1 + exp(-z)): exp turns a relative error of z into |z| times it.
//              Where exp(-z) overflows in float the kernel gives 0: the truth is below |x| * 2^-126 there.
// Every result is then rounded once to the type. TERMS counts roundings and approximations, each within 2 u.
#include <math.h>

#include "private.h"

enum { TERMS = 8 };

static double gelu_tanh_z(double x) { return 2.0 * sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x); }

static double function(kz_elementwise operation, double x, double factor) {
    switch (operation) {
    case KZ_ELEMENTWISE_SCALE: return x * factor;
    case KZ_ELEMENTWISE_RELU: return x < 0.0 ? 0.0 : x;
    case KZ_ELEMENTWISE_GELU_ERF: return 0.5 * x * erfc(-x * M_SQRT1_2); // 1 + erf(t) = erfc(-t), uncancelled
    case KZ_ELEMENTWISE_GELU_TANH: return x / (1.0 + exp(-gelu_tanh_z(x)));
    case KZ_ELEMENTWISE_SILU: return x / (1.0 + exp(-x));
    case KZ_ELEMENTWISE_COUNT: break;
    }
    return NAN;
}

// What float arithmetic adds to the error before the result is rounded to the type.
static double slack(kz_elementwise operation, double x, double y) {
    double u = kz_unit_roundoff(KZ_F32);
    double z = operation == KZ_ELEMENTWISE_GELU_TANH ? gelu_tanh_z(x) : x;
    switch (operation) {
    case KZ_ELEMENTWISE_SCALE:
    case KZ_ELEMENTWISE_RELU: return 0.0;
    case KZ_ELEMENTWISE_GELU_ERF: return TERMS * u * fabs(x);
    default: return TERMS * u * (1.0 + fabs(z)) * fabs(y) + fabs(x) * ldexp(1.0, -126);
    }
}

kz_status elementwise_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error) {
    double factor = elementwise_get_factor(c);
    for (int64_t i = 0; i < c->axes[0]; i++) {
        double x = kz_element_get(c->type, host[X], i);
        double y = function(c->operation, x, factor);
        expected[i] = kz_saturate(c->type, y);
        bound[i] = 0.0;
        if (c->operation == KZ_ELEMENTWISE_RELU || !isfinite(y)) continue;
        double extra = slack(c->operation, x, y);
        bound[i] = extra + kz_half_ulp(c->type, fabs(y) + extra);
        // A half type's product is rounded to float first: a second rounding, seen where it meets a tie.
        if (c->operation == KZ_ELEMENTWISE_SCALE && c->type != KZ_F32) bound[i] += kz_half_ulp(KZ_F32, y);
    }
    return KZ_OK;
}

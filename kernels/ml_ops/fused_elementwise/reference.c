// fused_elementwise: the right answer in double, and how far float arithmetic may be from it.
//
// u = 2^-24. Each step in float adds u of its result, and half of float's smallest step where that is denormal; a function
// passes its argument's error on, at most as many times as it is steep, and adds what its formula in float costs:
//   gelu_erf    erf's error and the rounding of 1 + erf are absolute: some u |x|; the family elementwise derives it
//   gelu_erf'   cdf(x) + x density(x): some u absolute, and exp turns the error of x^2 / 2 into that many u of the second term
//   silu        x s(x): exp turns a relative error of x into |x| (1 - s) times it, of s
//   silu'       s (1 + x (1 - s)): s as above, and 1 - s has an absolute error of u, which x multiplies
// Where an exponential leaves float's range the kernel has 0 for less than 2^-126. TERMS counts roundings and
// approximations, each within 2 u. A column's sum of n terms in any order adds n u of the terms' magnitudes.
#include <math.h>

#include "ml_ops/dropout_mask.h"
#include "private.h"

enum { TERMS = 8 };
static const double UNIT = 0x1p-24, LEAST = 0x1p-150;
static const double STEEPEST = 1.13, SLOPE_STEEPEST = 0.8; // of gelu and silu, and of their derivatives

// A value, and how far float may be from it.
typedef struct near {
    double value, error;
} near;

static near rounded(near v) {
    return (near){kz_saturate(KZ_F32, v.value), v.error + UNIT * (fabs(v.value) + v.error) + LEAST};
}
static near plus(near a, near b) { return rounded((near){a.value + b.value, a.error + b.error}); }
static near times(near a, near b) {
    double error = a.error * fabs(b.value) + b.error * fabs(a.value) + a.error * b.error;
    return rounded((near){a.value * b.value, error});
}

// ---- functions ---------------------------------------------------------------------------------------

static double cdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); } // which does not cancel
static double density(double x) { return exp(-0.5 * x * x) / sqrt(2.0 * M_PI); }
static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static near gelu(near x) {
    double own = TERMS * UNIT * (fabs(x.value) + x.error) + LEAST;
    return (near){x.value * cdf(x.value), STEEPEST * x.error + own};
}
static near gelu_slope(near x) {
    double term = x.value * density(x.value), size = fabs(x.value);
    double own = TERMS * UNIT * (1.0 + fabs(term) * (1.0 + 0.5 * size * size)) + size * 0x1p-126;
    return (near){cdf(x.value) + term, SLOPE_STEEPEST * x.error + own};
}

// Of the sigmoid in float.
static double sigmoid_error(double x) {
    return TERMS * UNIT * sigmoid(x) * (1.0 + fabs(x) * sigmoid(-x)) + 0x1p-126;
}
static near silu(near x) {
    double own = fabs(x.value) * (sigmoid_error(x.value) + UNIT * sigmoid(x.value)) + LEAST;
    return (near){x.value * sigmoid(x.value), STEEPEST * x.error + own};
}
static near silu_slope(near x) {
    double s = sigmoid(x.value), other = sigmoid(-x.value), size = fabs(x.value), e = sigmoid_error(x.value);
    double bracket = 1.0 + size * other;
    double own = (e + 3.0 * UNIT * s) * bracket + (s + e) * size * (e + UNIT);
    return (near){s * (1.0 + x.value * other), SLOPE_STEEPEST * x.error + own};
}

// ---- chains ------------------------------------------------------------------------------------------

typedef struct inputs {
    const kz_case *c;
    void *const *host;
    chain_buffers at;
    dropout_mask mask;
    near scale;
} inputs;

static near get(const inputs *in, uint32_t buffer, uint64_t index) {
    return (near){kz_element_get(in->c->type, in->host[buffer], index), 0.0};
}
static near dropped(inputs *in, near v, uint64_t i) {
    return dropout_mask_keeps(&in->mask, i) ? times(v, in->scale) : (near){0.0, 0.0};
}

// Of the backward pass of a gated chain: half 0 is da, 1 is db.
static near gate_backward(const inputs *in, uint64_t row, uint64_t column, int half) {
    bool swiglu = in->c->operation == KZ_SWIGLU_BACKWARD;
    uint64_t columns = (uint64_t)in->c->axes[COLUMNS], first = row * 2 * columns + column;
    near a = get(in, in->at.x, first), dy = get(in, in->at.dy, row * columns + column);
    if (half) return times(dy, swiglu ? silu(a) : gelu(a));
    near slope = swiglu ? silu_slope(a) : gelu_slope(a);
    return times(dy, times(get(in, in->at.x, first + columns), slope));
}

// Element (row, column) of the array that is y or dx.
static near element(inputs *in, uint64_t row, uint64_t column) {
    uint64_t columns = (uint64_t)in->c->axes[COLUMNS], i = row * columns + column;
    const chain_buffers *at = &in->at;
    near a;
    switch ((kz_fused_elementwise)in->c->operation) {
    case KZ_BIAS_GELU: return gelu(plus(get(in, at->x, i), get(in, at->bias, column)));
    case KZ_BIAS_GELU_BACKWARD:
        a = gelu_slope(plus(get(in, at->x, i), get(in, at->bias, column)));
        return times(get(in, at->dy, i), a);
    case KZ_BIAS_DROPOUT_ADD:
        a = dropped(in, plus(get(in, at->x, i), get(in, at->bias, column)), i);
        return plus(get(in, at->residual, i), a);
    case KZ_BIAS_DROPOUT_ADD_BACKWARD: return dropped(in, get(in, at->dy, i), i);
    case KZ_SWIGLU:
    case KZ_GEGLU:
        a = get(in, at->x, row * 2 * columns + column);
        a = in->c->operation == KZ_SWIGLU ? silu(a) : gelu(a);
        return times(a, get(in, at->x, row * 2 * columns + columns + column));
    default: return gate_backward(in, row, column % columns, column >= columns);
    }
}

// Rounded to the type. Where the error reaches across the type's largest number, either side is right.
static void finish(kz_type type, near v, double *expected, double *bound) {
    *expected = kz_saturate(type, v.value), *bound = 0.0;
    if (isnan(v.value) || isinf(v.value)) return;
    double size = fabs(v.value), beyond = kz_saturate(type, size + v.error);
    if (isinf(beyond) != isinf(*expected) || isinf(kz_saturate(type, size - v.error)) != isinf(*expected))
        *bound = KZ_ANYTHING;
    else if (!isinf(*expected))
        *bound = v.error + kz_half_ulp(type, size + v.error);
}

static void sum_columns(inputs *in, double *expected, double *bound) {
    uint64_t rows = (uint64_t)in->c->axes[ROWS], columns = (uint64_t)in->c->axes[COLUMNS];
    double each = (double)(rows + 1) * UNIT;
    for (uint64_t column = 0; column < columns; column++) expected[column] = bound[column] = 0.0;
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < columns; column++) {
            near v = element(in, row, column);
            expected[column] += v.value;
            bound[column] += v.error + each * (fabs(v.value) + v.error);
        }
    for (uint64_t column = 0; column < columns; column++)
        finish(in->c->type, (near){expected[column], bound[column]}, &expected[column], &bound[column]);
}

kz_status fused_elementwise_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                      double *bound, kz_error *error) {
    inputs in = {.c = c, .host = host, .at = chain_buffers_of(c)};
    uint64_t rows = (uint64_t)c->axes[ROWS], width = (uint64_t)c->axes[COLUMNS];
    if (in.at.state != NONE) {
        double scale = dropout_scale(chain_drop(c));
        in.mask = dropout_mask_of(host[in.at.state], chain_drop(c));
        in.scale = (near){scale, scale == 1.0 ? 0.0 : UNIT * scale};
    }
    if (which == in.at.dbias) {
        sum_columns(&in, expected, bound);
        return KZ_OK;
    }
    if (c->operation == KZ_SWIGLU_BACKWARD || c->operation == KZ_GEGLU_BACKWARD) width *= 2;
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < width; column++)
            finish(c->type, element(&in, row, column), &expected[row * width + column],
                   &bound[row * width + column]);
    return KZ_OK;
}

// adamw: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24. g is rounded where there is a scale. m is a sum of two terms that may cancel: each is off by a few u of itself,
// and by float's smallest step where a product is denormal. v is a sum of positive terms: a few u of itself. The quotient m / (sqrt(v)
// root + epsilon) is taken at the worst ends of what m and v may be, and gets QUOTIENT u for what is computed on the way:
// the corrections (log beta, its product with the step, expm1: 6 u, half of it for the root's), a root, a reciprocal and a
// reciprocal root, each within 2 u, and a rounding per operation. A weight has WEIGHT u of itself beside it. Then m, v and the
// weight are rounded once to their types, which is what a half type's bound consists of: to round m or v before they are
// used, or to keep them narrower, is out. A copy is the float weight, rounded.
//
// Rounded by chance, a result is known as well: its 16 bits are, and more of them never give less. So what float may be off by
// moves the result to what the ends of that range are rounded to, mostly to the same number.
//
// v past float's largest is infinite in float, and the quotient 0; within a few u of it, either may be.
#include <float.h>
#include <math.h>
#include <string.h>

#include "private.h"

enum { M_TERMS = 4, V_TERMS = 6, QUOTIENT_TERMS = 32, WEIGHT_TERMS = 6 };

typedef struct terms {
    kz_adamw_options options;
    double scale, rate, correction1, correction2;
    double decay; // the tensor's
    uint32_t step;
} terms;

// A number and how far float arithmetic may be from it before it is stored.
typedef struct ranged {
    double value, error;
} ranged;

typedef struct element {
    double weight, gradient, m, v;
} element;

static ranged next_m(const terms *t, const element *e) {
    double beta = t->options.beta1, kept = beta * e->m, added = (1.0 - beta) * t->scale * e->gradient;
    double u = kz_unit_roundoff(KZ_F32);
    return (ranged){kept + added, M_TERMS * u * (fabs(kept) + fabs(added)) + 0x1p-147};
}

static ranged next_v(const terms *t, const element *e) {
    double beta = t->options.beta2, g = t->scale * e->gradient, v = beta * e->v + (1.0 - beta) * g * g;
    return (ranged){v, V_TERMS * kz_unit_roundoff(KZ_F32) * v + 0x1p-147};
}

static ranged next_weight(const terms *t, const element *e, ranged m, ranged v) {
    double u = kz_unit_roundoff(KZ_F32), step = t->rate / t->correction1, epsilon = t->options.epsilon;
    double kept = e->weight * (1.0 - t->rate * t->decay);
    if (v.value - v.error > FLT_MAX) v = (ranged){INFINITY, 0.0};
    if (isfinite(v.value) && v.value + v.error > FLT_MAX) return (ranged){kept, KZ_ANYTHING};
    double quotient = m.value / (sqrt(v.value / t->correction2) + epsilon), worst = 0.0;
    if (isfinite(v.value))
        worst = (fabs(m.value) + m.error) / (sqrt(fmax(v.value - v.error, 0.0) / t->correction2) + epsilon) -
                fabs(quotient);
    double off = step * (worst + QUOTIENT_TERMS * u * fabs(quotient));
    return (ranged){kept - step * quotient, off + WEIGHT_TERMS * u * fabs(kept) + 0x1p-147};
}

// A stored result: `r` rounded to the type.
static void store(kz_type type, ranged r, double *expected, double *bound) {
    *expected = kz_saturate(type, r.value);
    if (r.error == KZ_ANYTHING)
        *bound = KZ_ANYTHING;
    else
        *bound = isfinite(r.value) ? r.error + kz_half_ulp(type, fabs(r.value) + r.error) : 0.0;
}

// `bits` are added below the last of bf16's bits, in units of 2^-16 of it, and the rest is cut off.
static double round_by_chance(double x, uint32_t bits) {
    const double largest = 0x1.fep127;
    int exponent;
    if (!isfinite(x) || x == 0.0) return x;
    frexp(x, &exponent);
    double unit = ldexp(1.0, exponent - 8 < -133 ? -133 : exponent - 8);
    return copysign(fmin(floor(fabs(x) / unit + bits * 0x1p-16) * unit, largest), x);
}

static void store_by_chance(ranged r, uint32_t bits, double *expected, double *bound) {
    double size = fabs(r.value);
    if (isfinite(size) && size - r.error > FLT_MAX) r.value = copysign(INFINITY, r.value);
    *expected = round_by_chance(r.value, bits);
    *bound = 0.0;
    if (r.error == KZ_ANYTHING || (isfinite(r.value) && size + r.error > FLT_MAX))
        *bound = KZ_ANYTHING;
    else if (isfinite(r.value))
        *bound = fmax(round_by_chance(r.value + r.error, bits) - *expected,
                      *expected - round_by_chance(r.value - r.error, bits));
}

static void refer(const kz_case *c, const terms *t, void *const *host, size_t which, uint64_t i,
                  double *expected, double *bound) {
    adamw_types types = adamw_types_of(c);
    const element e = {kz_element_get(types.weights, host[WEIGHTS], i),
                       kz_element_get(types.gradients, host[GRADIENTS], i),
                       kz_element_get(types.weights, host[M], i), kz_element_get(types.weights, host[V], i)};
    ranged m = next_m(t, &e), v = next_v(t, &e);
    if (adamw_draws(c)) {
        adamw_bits bits = adamw_draw(t->options.seed, t->step, i);
        if (which == M) return store_by_chance(m, bits.m, expected, bound);
        if (which == V) return store_by_chance(v, bits.v, expected, bound);
        return store_by_chance(next_weight(t, &e, m, v), bits.weight, expected, bound);
    }
    if (which == M) return store(types.weights, m, expected, bound);
    if (which == V) return store(types.weights, v, expected, bound);
    ranged weight = next_weight(t, &e, m, v);
    if (which == COPY && weight.error != KZ_ANYTHING) // rounded to float on the way
        weight.error += kz_half_ulp(KZ_F32, fabs(weight.value) + weight.error);
    store(which == COPY ? types.gradients : types.weights, weight, expected, bound);
}

kz_status adamw_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    adamw_types types = adamw_types_of(c);
    if (c->axes[CONTROL] == CONTROL_SKIP) { // all is as it was
        for (int64_t i = 0; i < c->axes[PARAMETERS_N]; i++) {
            expected[i] =
                kz_element_get(which == COPY ? types.gradients : types.weights, host[which], (uint64_t)i);
            bound[i] = 0.0;
        }
        return KZ_OK;
    }
    kz_adamw_now now;
    const kz_parameter *table = host[TABLE];
    memcpy(&now, host[NOW], sizeof now);
    terms t = {.options = adamw_options_of(c), .scale = 1.0, .step = now.step};
    if (c->axes[CONTROL] == CONTROL_SCALE) t.scale = *(const float *)host[SCALE];
    t.correction1 = 1.0 - pow(t.options.beta1, now.step);
    t.correction2 = 1.0 - pow(t.options.beta2, now.step);
    for (int64_t tensor = 0; tensor < c->axes[PARAMETERS_TENSORS]; tensor++) {
        t.rate = (double)now.learning_rate * (double)table[tensor].rate;
        t.decay = table[tensor].weight_decay;
        uint64_t end = table[tensor].first + table[tensor].count;
        for (uint64_t i = table[tensor].first; i < end; i++)
            refer(c, &t, host, which, i, &expected[i], &bound[i]);
    }
    return KZ_OK;
}

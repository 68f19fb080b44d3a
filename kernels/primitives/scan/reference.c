// scan: the right answer, and how far a float's may be from it.
//
// min, max and everything of i32 are exact. A float sum rounds wherever two parts meet, and each part is a
// stretch of elements, whose sum is the difference of two prefixes: at most 2 M, with M the largest prefix so
// far. Result i takes at most i roundings of at most u 2 M each; taken as independent and even, their sum has
// a deviation of u sqrt(i) 2 M / sqrt(3), and six of those are allowed. u is that of the accumulator: 2^-24
// for f32, f16 and bf16; a half is rounded once more. For affine maps each b_j is followed by i - j factors,
// each worth three roundings at most (of the product of factors, of the product with b, of the sum), and is
// added to at most DEPTH sums of what lies before it, whatever the tree.
#include <math.h>
#include <string.h>

#include "private.h"

enum { DEVIATIONS = 6, DEPTH = 128 };

static const double f32_least = 0x1p-149;

scan_value scan_identity(kz_scan_function function, kz_type type) {
    switch (function) {
    case KZ_SCAN_MIN: return (scan_value){type == KZ_I32 ? (double)INT32_MAX : (double)INFINITY, 0};
    case KZ_SCAN_MAX: return (scan_value){type == KZ_I32 ? (double)INT32_MIN : (double)-INFINITY, 0};
    case KZ_SCAN_AFFINE: return (scan_value){1, 0};
    default: return (scan_value){0, 0};
    }
}

static double wrapped(uint32_t bits) { return (int32_t)bits; }
static uint32_t bits_of(double x) { return (uint32_t)(int32_t)x; }

static double add(kz_type type, double x, double y) {
    return type == KZ_I32 ? wrapped(bits_of(x) + bits_of(y)) : x + y;
}
static double multiply(kz_type type, double x, double y) {
    return type == KZ_I32 ? wrapped(bits_of(x) * bits_of(y)) : x * y;
}

scan_value scan_combine(kz_scan_function function, kz_type type, scan_value before, scan_value after) {
    switch (function) {
    case KZ_SCAN_MIN:
    case KZ_SCAN_MAX:
        if (isnan(before.x) || isnan(after.x)) return (scan_value){NAN, 0};
        return (function == KZ_SCAN_MIN) == (before.x < after.x) ? before : after;
    case KZ_SCAN_AFFINE:
        return (scan_value){multiply(type, after.x, before.x),
                            add(type, multiply(type, after.x, before.y), after.y)};
    case KZ_SCAN_SEGMENTED_SUM:
        return (scan_value){after.y != 0 ? after.x : add(type, before.x, after.x), before.y + after.y != 0};
    default: return (scan_value){add(type, before.x, after.x), 0};
    }
}

scan_value scan_element(kz_scan_function function, kz_type type, const void *in, const uint8_t *heads,
                        uint64_t i) {
    if (function == KZ_SCAN_AFFINE)
        return (scan_value){kz_element_get(type, in, 2 * i), kz_element_get(type, in, 2 * i + 1)};
    return (scan_value){kz_element_get(type, in, i), function == KZ_SCAN_SEGMENTED_SUM ? heads[i] != 0 : 0.0};
}

// A prefix on its way: its sum by Neumaier (`lost` gathers what each addition rounds away, so that f64 has a
// reference better than itself), and what its bound needs.
typedef struct prefix {
    double sum, lost, largest;
    double count;
} prefix;

static void prefix_add(prefix *p, double x) {
    double next = p->sum + x;
    p->lost += fabs(p->sum) >= fabs(x) ? (p->sum - next) + x : (x - next) + p->sum;
    p->sum = next;
    p->largest = fmax(p->largest, fabs(next));
    p->count++;
}

static double prefix_expected(const prefix *p, kz_type type, double *bound) {
    *bound = 0.0;
    if (!isfinite(p->sum)) return p->sum; // NaN or infinity in, the same out
    double sum = p->sum + p->lost, u = kz_unit_roundoff(type == KZ_F64 ? KZ_F64 : KZ_F32);
    double roundings = p->count > 1 ? p->count - 1 : 0;
    double error = DEVIATIONS * u * sqrt(roundings) * 2.0 * p->largest / sqrt(3.0);
    bool half = type == KZ_F16 || type == KZ_BF16;
    *bound = error + (half ? kz_half_ulp(type, fabs(sum) + error) : 0.0);
    return kz_saturate(type, sum);
}

static void float_sums(const kz_case *c, const void *in, const uint8_t *heads, double *expected,
                       double *bound) {
    prefix p = {0};
    for (int64_t i = 0; i < c->axes[0]; i++) {
        if (heads && heads[i]) p = (prefix){0};
        if (scan_exclusive(c)) expected[i] = prefix_expected(&p, c->type, &bound[i]);
        prefix_add(&p, kz_element_get(c->type, in, (uint64_t)i));
        if (!scan_exclusive(c)) expected[i] = prefix_expected(&p, c->type, &bound[i]);
    }
}

static void float_maps(const kz_case *c, const void *in, double *expected, double *bound) {
    scan_value v = {1, 0};
    double u = kz_unit_roundoff(c->type), size = 0.0,
           weight = 0.0; // of b's terms: with signs dropped; by roundings
    for (int64_t i = 0; i < c->axes[0]; i++) {
        scan_value own = scan_element(KZ_SCAN_AFFINE, c->type, in, NULL, (uint64_t)i);
        scan_value next = scan_combine(KZ_SCAN_AFFINE, c->type, v, own);
        double next_weight = fabs(own.x) * (weight + 3.0 * size) + DEPTH * fabs(own.y);
        double next_size = fabs(own.x) * size + fabs(own.y);
        double terms = (double)i + (scan_exclusive(c) ? 0.0 : 1.0);
        scan_value result = scan_exclusive(c) ? v : next;
        expected[2 * i] = result.x;
        expected[2 * i + 1] = result.y;
        bound[2 * i] = terms > 1.0 ? terms * (u * fabs(result.x) + f32_least) : 0.0;
        bound[2 * i + 1] =
            terms > 1.0 ? u * (scan_exclusive(c) ? weight : next_weight) + terms * f32_least : 0.0;
        v = next;
        size = next_size;
        weight = next_weight;
    }
}

// What no rounding touches.
static void exact(const kz_case *c, const void *in, const uint8_t *heads, double *expected, double *bound) {
    kz_scan_function function = scan_function(c);
    scan_value identity = scan_identity(function, c->type), v = identity;
    int64_t numbers = function == KZ_SCAN_AFFINE ? 2 : 1;
    for (int64_t i = 0; i < c->axes[0]; i++) {
        scan_value own = scan_element(function, c->type, in, heads, (uint64_t)i);
        scan_value next = scan_combine(function, c->type, v, own), result = next;
        if (scan_exclusive(c)) result = heads && heads[i] ? identity : v;
        expected[i * numbers] = result.x;
        if (numbers == 2) expected[i * numbers + 1] = result.y;
        v = next;
    }
    memset(bound, 0, (size_t)(c->axes[0] * numbers) * sizeof *bound);
}

kz_status scan_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    kz_scan_function function = scan_function(c);
    const uint8_t *heads = function == KZ_SCAN_SEGMENTED_SUM ? host[HEADS] : NULL;
    if (c->type == KZ_I32 || function == KZ_SCAN_MIN || function == KZ_SCAN_MAX)
        exact(c, host[IN], heads, expected, bound);
    else if (function == KZ_SCAN_AFFINE)
        float_maps(c, host[IN], expected, bound);
    else
        float_sums(c, host[IN], heads, expected, bound);
    return KZ_OK;
}

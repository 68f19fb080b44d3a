// scan: the right answer, and how far a float's may be from it.
//
// min, max and everything of integers are exact, an i64 as far as a double shows it. A float sum rounds wherever
// two parts meet, and each part is a range of elements, whose sum is the difference of two prefixes: at most
// 2 M, with M the largest prefix so far. Result i takes at most i roundings of at most u 2 M each; taken as
// independent and even, their sum has a deviation of u sqrt(i) 2 M / sqrt(3), and six of those are allowed. u
// is that of the accumulator: 2^-24
// for f32, f16 and bf16; a half is rounded once more. For affine maps each b_j is followed by i - j factors,
// each worth three roundings at most (of the product of factors, of the product with b, of the sum), and is
// added to at most DEPTH sums of what lies before it, whatever the tree.
#include <math.h>
#include <string.h>

#include "private.h"

enum { DEVIATIONS = 6, DEPTH = 128 };

static const double f32_least = 0x1p-149;

bool scan_whole(kz_type type) { return type == KZ_I32 || type == KZ_U32 || type == KZ_I64; }

static scan_value of_real(double x) { return (scan_value){.x = {x}}; }
static scan_value of_whole(int64_t i) { return (scan_value){.i = {i}}; }

scan_value scan_identity(kz_scan_function function, kz_type type) {
    bool long_one = type == KZ_I64, positive = type == KZ_U32;
    switch (scan_within(function)) {
    case KZ_SCAN_MIN:
        return scan_whole(type) ? of_whole(long_one   ? INT64_MAX
                                           : positive ? UINT32_MAX
                                                      : INT32_MAX)
                                : of_real(INFINITY);
    case KZ_SCAN_MAX:
        return scan_whole(type) ? of_whole(long_one   ? INT64_MIN
                                           : positive ? 0
                                                      : INT32_MIN)
                                : of_real(-INFINITY);
    case KZ_SCAN_AFFINE: return (scan_value){.x = {1, 0}, .i = {1, 0}};
    default: return (scan_value){0};
    }
}

// The integer of the type that has these low bits.
static int64_t wrapped(kz_type type, uint64_t bits) {
    return type == KZ_I64   ? (int64_t)bits
           : type == KZ_U32 ? (int64_t)(uint32_t)bits
                            : (int32_t)(uint32_t)bits;
}

static scan_value combine_whole(kz_scan_function function, kz_type type, scan_value before,
                                scan_value after) {
    uint64_t a = (uint64_t)after.i[0];
    switch (function) {
    case KZ_SCAN_MIN: return before.i[0] < after.i[0] ? before : after;
    case KZ_SCAN_MAX: return before.i[0] > after.i[0] ? before : after;
    case KZ_SCAN_AFFINE:
        return (scan_value){.i = {wrapped(type, a * (uint64_t)before.i[0]),
                                  wrapped(type, a * (uint64_t)before.i[1] + (uint64_t)after.i[1])}};
    default: return of_whole(wrapped(type, (uint64_t)before.i[0] + a));
    }
}

static scan_value combine_real(kz_scan_function function, scan_value before, scan_value after) {
    double x = before.x[0], y = after.x[0];
    switch (function) {
    case KZ_SCAN_MIN:
    case KZ_SCAN_MAX:
        if (isnan(x) || isnan(y)) return of_real(NAN);
        return (function == KZ_SCAN_MIN) == (x < y) ? before : after;
    case KZ_SCAN_AFFINE: return (scan_value){.x = {y * x, y * before.x[1] + after.x[1]}};
    default: return of_real(x + y);
    }
}

scan_value scan_combine(kz_scan_function function, kz_type type, scan_value before, scan_value after) {
    if (after.head) return after;
    kz_scan_function within = scan_within(function);
    scan_value v =
        scan_whole(type) ? combine_whole(within, type, before, after) : combine_real(within, before, after);
    v.head = before.head;
    return v;
}

scan_value scan_result(kz_scan_function function, kz_type type, scan_value before, scan_value own,
                       bool exclusive) {
    if (!exclusive) return scan_combine(function, type, before, own);
    return own.head ? scan_identity(function, type) : before;
}

scan_value scan_element(kz_scan_function function, kz_type type, const void *in, const uint8_t *heads,
                        uint64_t i) {
    uint64_t numbers = function == KZ_SCAN_AFFINE ? 2 : 1;
    scan_value v = {.head = scan_segmented(function) && heads[i] != 0};
    for (uint64_t k = 0; k < numbers; k++) {
        uint64_t at = i * numbers + k;
        if (type == KZ_I64)
            v.i[k] = ((const int64_t *)in)[at];
        else if (scan_whole(type))
            v.i[k] = (int64_t)kz_element_get(type, in, at);
        else
            v.x[k] = kz_element_get(type, in, at);
    }
    return v;
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
    scan_value v = scan_identity(KZ_SCAN_AFFINE, c->type);
    double u = kz_unit_roundoff(c->type), size = 0.0,
           weight = 0.0; // of b's terms: with signs dropped; by roundings
    for (int64_t i = 0; i < c->axes[0]; i++) {
        scan_value own = scan_element(KZ_SCAN_AFFINE, c->type, in, NULL, (uint64_t)i);
        scan_value next = scan_combine(KZ_SCAN_AFFINE, c->type, v, own);
        double next_weight = fabs(own.x[0]) * (weight + 3.0 * size) + DEPTH * fabs(own.x[1]);
        double next_size = fabs(own.x[0]) * size + fabs(own.x[1]);
        double terms = (double)i + (scan_exclusive(c) ? 0.0 : 1.0);
        scan_value result = scan_exclusive(c) ? v : next;
        expected[2 * i] = result.x[0];
        expected[2 * i + 1] = result.x[1];
        bound[2 * i] = terms > 1.0 ? terms * (u * fabs(result.x[0]) + f32_least) : 0.0;
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
    scan_value v = scan_identity(function, c->type);
    int64_t numbers = function == KZ_SCAN_AFFINE ? 2 : 1;
    for (int64_t i = 0; i < c->axes[0]; i++) {
        scan_value own = scan_element(function, c->type, in, heads, (uint64_t)i);
        scan_value next = scan_combine(function, c->type, v, own);
        scan_value result = scan_exclusive(c) ? scan_result(function, c->type, v, own, true) : next;
        for (int64_t k = 0; k < numbers; k++)
            expected[i * numbers + k] = scan_whole(c->type) ? (double)result.i[k] : result.x[k];
        v = next;
    }
    memset(bound, 0, (size_t)(c->axes[0] * numbers) * sizeof *bound);
}

// The same for sums of integers, by words instead of scan_values: a case past 2^31 elements is a matter of minutes.
static void whole_sums(const kz_case *c, const void *in, const uint8_t *heads, double *expected,
                       double *bound) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < c->axes[0]; i++) {
        if (heads && heads[i]) sum = 0;
        uint64_t next =
            sum + (uint64_t)(c->type == KZ_I64 ? ((const int64_t *)in)[i]
                                               : (int64_t)kz_element_get(c->type, in, (uint64_t)i));
        expected[i] = (double)wrapped(c->type, scan_exclusive(c) ? sum : next);
        sum = next;
    }
    memset(bound, 0, (size_t)c->axes[0] * sizeof *bound);
}

kz_status scan_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    kz_scan_function function = scan_function(c);
    kz_scan_function within = scan_within(function);
    const uint8_t *heads = scan_segmented(function) ? host[HEADS] : NULL;
    if (scan_whole(c->type) && within == KZ_SCAN_SUM)
        whole_sums(c, host[IN], heads, expected, bound);
    else if (scan_whole(c->type) || within == KZ_SCAN_MIN || within == KZ_SCAN_MAX)
        exact(c, host[IN], heads, expected, bound);
    else if (function == KZ_SCAN_AFFINE)
        float_maps(c, host[IN], expected, bound);
    else
        float_sums(c, host[IN], heads, expected, bound);
    return KZ_OK;
}

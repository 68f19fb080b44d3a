// Judges what two devices made of one form.
#include <math.h>
#include <string.h>

#include "conform.h"

typedef struct shape {
    int fraction, least_exponent; // of normal numbers
    double largest;
    unsigned bits;
} shape;

static shape shape_of(format kind) {
    switch (kind) {
    case F16:
    case F16X2: return (shape){10, -14, 65504.0, 16};
    case BF16:
    case BF16X2: return (shape){7, -126, 0x1.fep127, 16};
    case F64: return (shape){52, -1022, 0x1.fffffffffffffp1023, 64};
    default: return (shape){23, -126, 0x1.fffffep127, 32};
    }
}

static double unit_of(double exact, double least, const shape *s) {
    int exponent;
    double size = fmax(fabs(exact), least);
    if (size == 0.0) return ldexp(1.0, s->least_exponent - s->fraction);
    frexp(size, &exponent);
    if (exponent - 1 < s->least_exponent) exponent = s->least_exponent + 1;
    return ldexp(1.0, exponent - 1 - s->fraction);
}

static double flushed(double x, const shape *s) {
    return fabs(x) < ldexp(1.0, s->least_exponent) ? copysign(0.0, x) : x;
}

static uint64_t element(uint64_t bits, unsigned index, const shape *s) {
    return s->bits == 64 ? bits : bits >> (index * s->bits) & ((UINT64_C(1) << s->bits) - 1);
}

uint64_t canonical_bits(format kind, uint64_t bits) {
    shape s = shape_of(kind);
    for (unsigned e = 0; kind != BITS && e < format_elements(kind); e++)
        if (is_nan_bits(kind, element(bits, e, &s)))
            bits |= s.bits == 64 ? UINT64_MAX : ((UINT64_C(1) << s.bits) - 1) << (e * s.bits);
    return bits;
}

// One element of an approximate result: how far both are from the truth and from each other.
static void measure(const form *f, verdict *v, double x, double y, uint64_t a, uint64_t b) {
    format kind = f->results[0]->format;
    shape s = shape_of(kind);
    bool ftz = strstr(f->text, ".ftz") != NULL;
    double value_a = value_of_bits(kind, a), value_b = value_of_bits(kind, b), exact, least;
    if (ftz) x = flushed(x, &s), y = flushed(y, &s);
    bool known = oracle_value(f->oracle, x, y, &exact, &least);
    bool number_a = isfinite(value_a), number_b = isfinite(value_b);
    if (number_a != number_b || (!number_a && a != b && !(isnan(value_a) && isnan(value_b)))) {
        v->special++;
        return;
    }
    if (!number_a || !known || !isfinite(exact) || fabs(exact) > s.largest) return;
    if (ftz && fabs(exact) < ldexp(1.0, s.least_exponent)) return; // 0 or the least normal: both will do
    double unit = unit_of(exact, least, &s);
    v->error_a = fmax(v->error_a, fabs(value_a - exact) / unit);
    v->error_b = fmax(v->error_b, fabs(value_b - exact) / unit);
    v->apart = fmax(v->apart, fabs(value_a - value_b) / unit);
}

// Whether the results differ in nothing but the bits of NaN.
static bool differ_in_nan_only(const form *f, const uint64_t *a, const uint64_t *b) {
    for (unsigned r = 0; r < f->result_count; r++) {
        format kind = f->results[r]->format;
        shape s = shape_of(kind);
        if (kind == BITS && a[r] != b[r]) return false;
        for (unsigned e = 0; kind != BITS && e < format_elements(kind); e++) {
            uint64_t x = element(a[r], e, &s), y = element(b[r], e, &s);
            if (x != y && !(is_nan_bits(kind, x) && is_nan_bits(kind, y))) return false;
        }
    }
    return true;
}

static example example_of(const uint64_t *in, const uint64_t *a, const uint64_t *b) {
    example e;
    memcpy(e.sources, in, sizeof e.sources);
    memcpy(e.a, a, sizeof e.a);
    memcpy(e.b, b, sizeof e.b);
    return e;
}

static unsigned nan_sources(const form *f, const uint64_t *in) {
    unsigned found = 0;
    for (unsigned s = 0; s < f->source_count; s++) found += is_nan_bits(f->sources[s]->format, in[s]);
    return found;
}

static void compare_lane(const form *f, verdict *v, const uint64_t *in, const uint64_t *a,
                         const uint64_t *b) {
    size_t special = v->special;
    if (v->approximate) {
        format kind = f->results[0]->format, from = f->sources[0]->format;
        shape s = shape_of(kind);
        for (unsigned e = 0; e < format_elements(kind); e++)
            measure(f, v, value_of_bits(from, element(in[0], e, &s)),
                    value_of_bits(from, element(in[1], e, &s)), element(a[0], e, &s), element(b[0], e, &s));
    }
    v->lanes++;
    if (!memcmp(a, b, RESULTS * sizeof *a)) return;
    if (differ_in_nan_only(f, a, b)) {
        // Half of the examples are kept for several NaN among the sources: they show which one wins.
        bool several = nan_sources(f, in) > 1;
        if (v->nan_example_count < (several ? NAN_EXAMPLES : NAN_EXAMPLES / 2))
            v->nan_examples[v->nan_example_count++] = example_of(in, a, b);
        v->nan_only++;
        return;
    }
    // Of approximations, only where one is a number and the other is not: that they differ is known.
    bool shown = !v->approximate || v->special > special;
    if (shown && v->example_count < EXAMPLES) v->examples[v->example_count++] = example_of(in, a, b);
    v->differ++;
}

verdict compare_form(const form *f, inputs in, const run_result *a, const run_result *b, uint32_t mask) {
    verdict v = {.approximate = f->oracle != NONE};
    if (!a->values) v.refused[0] = a->refused;
    if (!b->values) v.refused[1] = b->refused;
    if (!a->values || !b->values) return v;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (mask >> (lane % 32) & 1) compare_lane(f, &v, in[lane], (*a->values)[lane], (*b->values)[lane]);
    return v;
}

bool verdict_is_failure(const verdict *v, bool exact) {
    if (v->refused[0] || v->refused[1]) return true;
    if (exact) return v->differ > 0 || v->nan_only > 0;
    return v->approximate ? v->special > 0 : v->differ > 0;
}

// histogram: inputs. The elements follow the limits of the case, so that every type has the same shapes.
//
// uniform: inside the limits. biased: the same by the 8th power. equal: one value. large: half of them
// outside the limits. small: a small distance from a boundary of two bins, which is on it or one step beside
// it. nan, inf: uniform with those here and there. Levels (range) divide the limits unevenly; odd numbers of
// bins by the 4th power, so that most lie close together.
#include <math.h>

#include "private.h"

// The draws of one element: in [0, 1), 24 bits of it, as many as a float holds.
static double unit(uint64_t bits) { return (double)(bits >> 40) * 0x1p-24; }

// Elements share a draw: two of 32 bits, for types of one byte four of 16.
static double element_unit(kz_type type, uint64_t seed, uint64_t index) {
    unsigned shared = type == KZ_U8 ? 4 : 2, width = 64 / shared;
    uint64_t bits = kz_draw(seed, IN, index / shared) << (index % shared * width);
    return type == KZ_U8 ? (double)(bits >> 48) * 0x1p-16 : (double)(bits >> 40) * 0x1p-24;
}

static double level(const kz_case *c, uint64_t seed, uint64_t k) {
    double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
    double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS];
    if (k == 0) return lower;
    if (k == bins) return upper;
    double fraction = ((double)k + 0.9 * (unit(kz_draw(seed, LEVELS, k)) - 0.5)) / (double)bins;
    if (bins & 1) fraction *= fraction, fraction *= fraction;
    double value = lower + fraction * (upper - lower);
    return c->type == KZ_F32 ? value : floor(value);
}

static double largest(kz_type type) {
    return type == KZ_U8 ? UINT8_MAX : type == KZ_U16 ? UINT16_MAX : UINT32_MAX;
}

static double boundary(const kz_case *c, uint64_t seed, uint64_t index) {
    uint64_t bits = kz_draw(seed, IN, index), bins = (uint64_t)c->axes[AXIS_BINS];
    uint64_t k = (bits >> 8) % (bins + 1);
    double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
    double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
    double value = c->operation == KZ_HISTOGRAM_RANGE ? level(c, seed, k)
                                                      : lower + (double)k * ((upper - lower) / (double)bins);
    int step = (int)(bits % 3) - 1;
    if (c->type == KZ_F32) return step ? nextafterf((float)value, step * INFINITY) : (float)value;
    return ceil(value) + step;
}

static double element(const kz_case *c, uint64_t seed, uint64_t index) {
    double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
    double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]), span = upper - lower;
    if (c->data == KZ_DATA_SMALL) return boundary(c, seed, index);
    double x = element_unit(c->type, seed, c->data == KZ_DATA_EQUAL ? 0 : index);
    if (c->data == KZ_DATA_BIASED) x *= x, x *= x, x *= x;
    if (c->data == KZ_DATA_LARGE) x = 2.0 * x - 0.5;
    uint64_t special = c->data == KZ_DATA_NAN || c->data == KZ_DATA_INF ? kz_draw(seed, OUT, index) : 1;
    if (special % 64 == 0) return c->data == KZ_DATA_NAN ? NAN : special & 64 ? INFINITY : -INFINITY;
    return lower + x * span;
}

bool histogram_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                    void *host) {
    if (which == LEVELS) {
        for (uint64_t i = 0; i < count; i++)
            kz_element_set(histogram_level_type(c->type), host, i, level(c, seed, first + i));
        return true;
    }
    switch (c->data) {
    case KZ_DATA_UNIFORM:
    case KZ_DATA_BIASED:
    case KZ_DATA_EQUAL:
    case KZ_DATA_LARGE:
    case KZ_DATA_SMALL:
    case KZ_DATA_NAN:
    case KZ_DATA_INF: break;
    default: return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        double value = element(c, seed, first + i);
        if (c->type != KZ_F32) value = fmin(fmax(floor(value), 0.0), largest(c->type));
        kz_element_set(c->type, host, i, value);
    }
    return true;
}

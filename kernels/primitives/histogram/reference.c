// histogram: which bin an element belongs to, and the counts.
//
// Everything is exact: a count has no tolerance. The even bins of f32 are defined by three operations in
// double (histogram.h), so that host and device, which both round as IEEE 754 says, agree in every bit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

double histogram_limit(kz_type type, int64_t axis) {
    if (type != KZ_F32) return (double)axis;
    uint32_t bits = (uint32_t)axis;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t histogram_axis(kz_type type, double limit) {
    if (type != KZ_F32) return (int64_t)limit;
    float value = (float)limit;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

kz_type histogram_level_type(kz_type type) { return type == KZ_F32 ? KZ_F32 : KZ_U32; }

static uint64_t find_even(kz_type type, uint64_t bins, double lower, double upper, double x) {
    if (!(x >= lower && x < upper)) return bins; // NaN too
    if (type != KZ_F32) return (uint64_t)(x - lower) * bins / (uint64_t)(upper - lower);
    double scale = (double)bins / (upper - lower);
    uint64_t bin = (uint64_t)((x - lower) * scale);
    return bin < bins ? bin : bins - 1;
}

static uint64_t find_range(kz_type type, uint64_t bins, const void *levels, double x) {
    uint64_t low = 0, high = bins + 1; // how many levels are at most x
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (kz_element_get(histogram_level_type(type), levels, middle) <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? bins : low - 1; // all levels at most x: bin number `bins`, which is none
}

uint64_t histogram_find(kz_histogram_operation operation, kz_type type, uint64_t bins, double lower,
                        double upper, const void *levels, double x) {
    if (operation == KZ_HISTOGRAM_EVEN) return find_even(type, bins, lower, upper, x);
    return find_range(type, bins, levels, x);
}

// Elements of at most 16 bits are counted by value first: a bin is then found once per value.
static void count_values(const kz_case *c, const void *in, uint64_t *tally, double *expected,
                         const void *levels) {
    uint64_t n = (uint64_t)c->axes[AXIS_N], bins = (uint64_t)c->axes[AXIS_BINS];
    if (c->type == KZ_U8)
        for (uint64_t i = 0; i < n; i++) tally[((const uint8_t *)in)[i]]++;
    else
        for (uint64_t i = 0; i < n; i++) tally[((const uint16_t *)in)[i]]++;
    double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
    double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
    for (uint64_t value = 0; value <= UINT16_MAX; value++) {
        if (tally[value] == 0) continue;
        uint64_t bin = histogram_find(c->operation, c->type, bins, lower, upper, levels, (double)value);
        if (bin < bins) expected[bin] += (double)tally[value];
    }
}

kz_status histogram_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error) {
    uint64_t n = (uint64_t)c->axes[AXIS_N], bins = (uint64_t)c->axes[AXIS_BINS];
    const void *levels = c->operation == KZ_HISTOGRAM_RANGE ? host[LEVELS] : NULL;
    for (uint64_t b = 0; b < bins; b++) expected[b] = bound[b] = 0.0;
    uint64_t *tally = kz_type_size(c->type) < 4 ? calloc(UINT16_MAX + 1, sizeof *tally) : NULL;
    if (tally) {
        count_values(c, host[IN], tally, expected, levels);
    } else {
        double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
        double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
        for (uint64_t i = 0; i < n; i++) {
            double x = kz_element_get(c->type, host[IN], i);
            uint64_t bin = histogram_find(c->operation, c->type, bins, lower, upper, levels, x);
            if (bin < bins) expected[bin]++;
        }
    }
    free(tally);
    for (uint64_t b = 0; b < bins; b++) expected[b] = fmod(expected[b], 0x1p32); // the counters wrap
    return KZ_OK;
}

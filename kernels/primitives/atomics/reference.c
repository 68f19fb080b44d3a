// atomics: the right answer, which is exact: whole numbers, and floats that are only compared and copied.
#include <math.h>
#include <stdint.h>

#include "private.h"

static void count(const kz_case *c, const uint32_t *keys, double *expected) {
    for (int64_t i = 0; i < c->axes[N]; i++) expected[keys[i]]++;
}

static void append(const kz_case *c, const float *in, size_t which, double *expected) {
    for (int64_t i = 0; i < c->axes[N]; i++) {
        if (!(in[i] > 0.0f)) continue;
        if (which == OUT)
            expected[i] = in[i];
        else
            expected[0]++;
    }
}

static void greatest(const kz_case *c, const uint32_t *keys, const float *values, double *expected) {
    for (int64_t k = 0; k < c->axes[K]; k++) expected[k] = NAN;
    for (int64_t i = 0; i < c->axes[N]; i++)
        if (!(values[i] <= expected[keys[i]]) && !isnan(values[i])) expected[keys[i]] = values[i];
}

static double wrap(double sum, int32_t value) { return (int32_t)((uint32_t)(int32_t)sum + (uint32_t)value); }

static void update(const kz_case *c, const uint32_t *keys, const int32_t *values, double *expected) {
    for (int64_t k = 0; k < c->axes[K]; k++)
        expected[PARTS * k + 2] = INT32_MAX, expected[PARTS * k + 3] = INT32_MIN;
    for (int64_t i = 0; i < c->axes[N]; i++) {
        double *part = expected + (uint64_t)PARTS * keys[i];
        part[0]++;
        part[1] = wrap(part[1], values[i]);
        part[2] = fmin(part[2], values[i]);
        part[3] = fmax(part[3], values[i]);
    }
}

kz_status atomics_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    kz_family_atomics.buffers(c, list);
    for (uint64_t i = 0; i < list[which].count; i++) expected[i] = bound[i] = 0.0;
    switch (c->operation) {
    case KZ_ATOMICS_COUNT: count(c, host[KEYS], expected); break;
    case KZ_ATOMICS_APPEND: append(c, host[KEYS], which, expected); break;
    case KZ_ATOMICS_MAX: greatest(c, host[KEYS], host[VALUES], expected); break;
    default: update(c, host[KEYS], host[VALUES], expected); break;
    }
    return KZ_OK;
}

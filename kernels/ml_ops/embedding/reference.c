// embedding: ids, the right answer in double, and how far float sums may be from it.
//
// A gather moves rows, and is exact. A row of the gradient is the sum of m rows: m - 1 roundings, in any order, each by at most
// u = 2^-24 of the sum of the magnitudes; then one to the type. One row alone is exact, and so is none.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

// A prime, so that multiples of it pass every id of a vocabulary before one comes again.
static const uint64_t stride = 2654435761u;

static int64_t draw_id(const kz_case *c, uint64_t seed, uint64_t index) {
    uint64_t bits = kz_draw(seed, IDS, index), vocabulary = (uint64_t)c->axes[VOCABULARY];
    static const int64_t outside[] = {-1, 0, INT32_MIN, INT32_MAX};
    if (vocabulary == 0) return (int64_t)(index % 3) - 1;
    double fraction = (double)(bits >> 11) * 0x1p-53;
    switch (c->axes[SKEW]) {
    case ZIPF:
        return (int64_t)fmin(exp(fraction * log((double)vocabulary + 1.0)) - 1.0, (double)vocabulary - 1.0);
    case ONE_ID: return (int64_t)(vocabulary / 2);
    case DISTINCT: return (int64_t)((index * stride + seed % 64) % vocabulary);
    case OUTSIDE:
        if (bits % 3 != 0) break;
        if (bits / 3 % 5 == 1) return (int64_t)vocabulary;
        if (bits / 3 % 5 == 4) return embedding_is_i64(c) ? (int64_t)1 << 32 : (int64_t)vocabulary + 7;
        return outside[bits / 3 % 5];
    default: break;
    }
    return (int64_t)(bits / 16 % vocabulary);
}

bool embedding_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                    void *host) {
    if (which != IDS) return false;
    for (uint64_t i = 0; i < count; i++) {
        int64_t id = draw_id(c, seed, first + i);
        if (embedding_is_i64(c))
            ((int64_t *)host)[i] = id;
        else
            ((int32_t *)host)[i] = (int32_t)id;
    }
    return true;
}

static void gather(const kz_case *c, void *const *host, double *expected, double *bound) {
    uint64_t dim = (uint64_t)c->axes[DIM];
    for (uint64_t i = 0; i < (uint64_t)c->axes[TOKENS] * dim; i++) {
        int64_t row = embedding_row(c, host[IDS], i / dim);
        expected[i] = row < 0 ? 0.0 : kz_element_get(c->type, host[TABLE], (uint64_t)row * dim + i % dim);
        bound[i] = 0.0;
    }
}

// bound[] holds the magnitudes' sums until the end.
static void add_rows(const kz_case *c, void *const *host, double *expected, double *bound, uint32_t *tokens) {
    uint64_t dim = (uint64_t)c->axes[DIM];
    for (uint64_t t = 0; t < (uint64_t)c->axes[TOKENS]; t++) {
        int64_t row = embedding_row(c, host[IDS], t);
        if (row < 0 || row + 1 == c->axes[PADDING]) continue;
        tokens[row]++;
        for (uint64_t k = 0; k < dim; k++) {
            double value = kz_element_get(c->type, host[D_ROWS], t * dim + k);
            expected[(uint64_t)row * dim + k] += value;
            bound[(uint64_t)row * dim + k] += fabs(value);
        }
    }
}

kz_status embedding_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error) {
    uint64_t vocabulary = (uint64_t)c->axes[VOCABULARY], dim = (uint64_t)c->axes[DIM];
    double u = kz_unit_roundoff(KZ_F32);
    if (!embedding_is_gradient(c)) return gather(c, host, expected, bound), KZ_OK;
    uint32_t *tokens = calloc(vocabulary + 1, sizeof *tokens);
    if (!tokens)
        return kz_fail(error, KZ_NO_MEMORY,
                       "embedding: no memory to count %llu ids\nfree some, or take a smaller case",
                       (unsigned long long)vocabulary);
    for (uint64_t i = 0; i < vocabulary * dim; i++) expected[i] = bound[i] = 0.0;
    add_rows(c, host, expected, bound, tokens);
    for (uint64_t i = 0; i < vocabulary * dim; i++) {
        double sum = expected[i], wide = tokens[i / dim] > 1 ? (tokens[i / dim] - 1) * u * bound[i] : 0.0;
        expected[i] = kz_saturate(c->type, sum);
        bound[i] = isfinite(sum) && tokens[i / dim] > 1 ? wide + kz_half_ulp(c->type, fabs(sum) + wide) : 0.0;
    }
    free(tokens);
    return KZ_OK;
}

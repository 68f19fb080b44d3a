// gemm_sparse: the inputs of cases; the right answer in double, a sum over what is kept, and how far sums of tensor cores may be from it
// (gemm/product.h).
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

// ---- inputs -----------------------------------------------------------------------------------------

// Any two of the four; past the end of a row the first two.
static uint32_t draw_code(const kz_case *c, uint64_t seed, uint64_t row, uint64_t group) {
    static const uint32_t codes[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}; // 0 1, 0 2, 0 3, 1 2, 1 3, 2 3
    bool whole = row < (uint64_t)c->axes[M] && 4 * (group + 1) <= (uint64_t)c->axes[K];
    uint64_t groups = gemm_sparse_steps((uint64_t)c->axes[K]) * GEMM_SPARSE_GROUPS;
    return whole ? codes[kz_draw(seed, METADATA, row * groups + group) % 6] : codes[0];
}

static uint32_t draw_word(const kz_case *c, uint64_t seed, uint64_t index) {
    uint64_t steps = gemm_sparse_steps((uint64_t)c->axes[K]), thread = index % GEMM_SPARSE_WORDS;
    uint64_t block = index / GEMM_SPARSE_WORDS, group = block % steps * GEMM_SPARSE_GROUPS + thread % 4 * 4;
    uint64_t row = block / steps * GEMM_SPARSE_ROWS + thread / 32 * 16 + thread % 32 / 4;
    uint32_t word = 0;
    for (uint64_t i = 0; i < 8; i++) word |= draw_code(c, seed, row + i / 4 * 8, group + i % 4) << (4 * i);
    return word;
}

// Where rows are padded: zeros past the end.
static double draw_value(const kz_case *c, uint64_t seed, uint64_t index) {
    uint64_t each = gemm_sparse_steps((uint64_t)c->axes[K]) * GEMM_SPARSE_KEPT, row = index / each;
    uint64_t group = index % each / 2;
    uint32_t code = draw_code(c, seed, row, group);
    uint64_t place = 4 * group + (index % 2 ? code >> 2 : code & 3);
    if (place >= (uint64_t)c->axes[K]) return 0.0;
    return (double)(kz_draw(seed, VALUES, index) >> 11) * 0x1p-52 - 1.0;
}

bool gemm_sparse_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                      void *host) {
    bool padded = c->axes[K] % GEMM_SPARSE_DEPTH != 0;
    if (which == B || (which == VALUES && !padded)) return false;
    for (uint64_t i = 0; i < count; i++) {
        if (which == METADATA)
            ((uint32_t *)host)[i] = draw_word(c, seed, first + i);
        else
            kz_element_set(c->type, host, i, draw_value(c, seed, first + i));
    }
    return true;
}

// ---- answers ------------------------------------------------------------------------------------------

// a as a dense matrix; false where it has a number that is not finite.
static bool expand(const kz_case *c, void *const *host, float *a) {
    uint64_t m = (uint64_t)c->axes[M], k = (uint64_t)c->axes[K], steps = gemm_sparse_steps(k);
    bool finite = true;
    for (uint64_t i = 0; i < m * k; i++) a[i] = 0.0f;
    for (uint64_t row = 0; row < m; row++)
        for (uint64_t i = 0; i < steps * GEMM_SPARSE_KEPT; i++) {
            gemm_sparse_pair kept = gemm_sparse_find(host[METADATA], row, i / 2, steps);
            uint64_t x = i % 2 ? kept.second : kept.first;
            if (x >= k) continue;
            double value = kz_element_get(c->type, host[VALUES], row * steps * GEMM_SPARSE_KEPT + i);
            a[row * k + x] = (float)value;
            finite &= (bool)isfinite(value);
        }
    return finite;
}

static bool all_finite(const float *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}
static void clear_not_finite(float *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) x[i] = 0.0f;
}

// Term by term, what is kept alone: in a product of dense matrices a pruned 0 would meet NaN and Inf.
static void multiply_kept(const gemm_product *p, const uint32_t *metadata, double *c) {
    uint64_t k = (uint64_t)p->k, n = (uint64_t)p->n, steps = gemm_sparse_steps(k);
    for (uint64_t row = 0; row < (uint64_t)p->m; row++)
        for (uint64_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (uint64_t group = 0; group < steps * GEMM_SPARSE_GROUPS; group++) {
                gemm_sparse_pair kept = gemm_sparse_find(metadata, row, group, steps);
                if (kept.first < k) sum += (double)p->a[row * k + kept.first] * p->b[kept.first * n + j];
                if (kept.second < k) sum += (double)p->a[row * k + kept.second] * p->b[kept.second * n + j];
            }
            c[row * n + j] = sum;
        }
}

kz_status gemm_sparse_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error) {
    (void)which;
    int64_t m = c->axes[M], n = c->axes[N], k = c->axes[K];
    float *a = malloc((size_t)(m * k + 1) * sizeof *a), *b = gemm_widen(c->type, host[B], k, n, true);
    double *rows = malloc((size_t)(m + n + 1) * sizeof *rows), *columns = rows + m;
    if (a && b && rows) {
        gemm_product product = {a, b, m, n, k};
        if (expand(c, host, a) && all_finite(b, k * n))
            gemm_multiply(&product, expected);
        else
            multiply_kept(&product, host[METADATA], expected);
        // A sum that none of them is in has an error of its own terms.
        clear_not_finite(a, m * k), clear_not_finite(b, k * n);
        gemm_sum_fourth_powers(&product, rows, columns);
        for (int64_t i = 0; i < m * n; i++) {
            double squares = rows[i / n] * columns[i % n];
            double off = gemm_halves_bound((double)k / 2, expected[i], squares);
            bound[i] = isfinite(off) ? off + kz_half_ulp(c->type, fabs(expected[i]) + off) : off;
            if (gemm_may_overflow((double)k, squares)) bound[i] = KZ_ANYTHING;
            expected[i] = kz_saturate(c->type, expected[i]);
        }
    }
    kz_status status =
        a && b && rows ? KZ_OK : kz_fail(error, KZ_NO_MEMORY, "gemm_sparse: no memory for the reference");
    free(a), free(b), free(rows);
    return status;
}

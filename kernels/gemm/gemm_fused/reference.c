// gemm_fused: the right answer in double, and how far single precision may be from it. Sums as gemm/product.h bounds them, steps
// as gemm/epilogue.c does. A fold adds its elements' errors, and a rounding of the sum of magnitudes for each addition that one
// value can go through.
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

// A thread adds what it has in a tile, lanes and tiles follow; tiles are 8 columns wide at least, or 16 rows high.
static double count_additions(uint64_t elements) { return 70.0 + (double)elements / 8.0; }

// Rows x columns floats out of halves that lie so, or transposed.
static float *widen(kz_type type, const void *from, int64_t rows, int64_t columns, bool transposed) {
    float *to = malloc((size_t)(rows * columns + 1) * sizeof *to);
    for (int64_t i = 0; to && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[i * columns + j] =
                (float)kz_element_get(type, from, (uint64_t)(transposed ? j * rows + i : i * columns + j));
    return to;
}

// Some rows of c at a time, to save memory.
enum { BLOCK = 4096 };
typedef struct block {
    const kz_case *c;
    void *const *host;
    fused_epilogue e;
    uint64_t first, rows;
    double *sums, *of_rows, *of_columns; // of the product, and what bounds are made of
    gemm_near *values;                   // of c, before they are rounded
} block;

static gemm_near sum_at(const block *b, uint64_t row, uint64_t column) {
    double sum = b->sums[row * (uint64_t)b->c->axes[N] + column];
    double squares = b->of_rows[row] * b->of_columns[column];
    return (gemm_near){kz_saturate(KZ_F32, sum), gemm_halves_bound((double)b->c->axes[K], sum, squares)};
}

static void apply(const block *b) {
    uint64_t width = b->e.halves ? 2 : 1, across = fused_columns(b->c, &b->e);
    for (uint64_t i = 0; i < b->rows; i++)
        for (uint64_t j = 0; j < across; j++) {
            gemm_passing p = {.v = sum_at(b, i, j * width),
                              .row = b->first + i,
                              .column = j,
                              .columns = across,
                              .k = (uint64_t)b->c->axes[K],
                              .x_type = b->e.x.type,
                              .y_type = b->e.y.type,
                              .x = b->e.x.name ? b->host[X] : NULL,
                              .y = b->e.y.name ? b->host[Y] : NULL};
            if (b->e.halves) p.next = sum_at(b, i, 2 * j + 1);
            for (gemm_step *const *step = b->e.steps; *step; step++) (*step)(&p);
            b->values[i * across + j] = p.v;
        }
}

// ---- folds --------------------------------------------------------------------------------------------------

// What has been folded: the value, and for its bound the sum of errors and magnitudes, or the largest and the least that
// it can be.
typedef struct folded {
    double value, error, magnitudes, most, least;
} folded;

static folded nothing(fused_fold fold) {
    return (folded){.value = fold == FOLD_MAX_ROWS ? -INFINITY : 0.0, .most = -INFINITY, .least = -INFINITY};
}
static void take(folded *f, fused_fold fold, gemm_near v) {
    f->error += v.error, f->magnitudes += fabs(v.value) + v.error;
    f->most = fmax(f->most, v.value + v.error), f->least = fmax(f->least, v.value - v.error);
    if (fold != FOLD_MAX_ROWS)
        f->value += v.value;
    else if (isnan(v.value) || v.value > f->value)
        f->value = v.value;
}
static gemm_near result_of(const folded *f, fused_fold fold, uint64_t count) {
    double value = kz_saturate(KZ_F32, f->value);
    if (!isfinite(value)) return (gemm_near){value, 0.0};
    if (fold == FOLD_MAX_ROWS) return (gemm_near){value, fmax(f->most - value, value - f->least)};
    return (gemm_near){value, f->error + count_additions(count) * 0x1p-24 * f->magnitudes};
}

// The answer for this block's rows of c, or what becomes of them; `columns` are folded until the last block.
static void answer(const block *b, size_t which, folded *columns, double *expected, double *bound) {
    uint64_t across = fused_columns(b->c, &b->e);
    fused_fold fold = b->e.x.fold;
    for (uint64_t i = 0; i < b->rows; i++) {
        folded row = nothing(fold);
        for (uint64_t j = 0; j < across; j++) {
            gemm_near v = b->values[i * across + j];
            gemm_near stored = b->e.byte ? gemm_stored_byte(v, b->e.byte) : gemm_stored(v, b->e.out);
            uint64_t at = (b->first + i) * across + j;
            if (which == C) expected[at] = stored.value, bound[at] = stored.error;
            if (which == X) take(fold == FOLD_SUM_COLUMNS ? &columns[j] : &row, fold, v);
        }
        if (which == C || fold == FOLD_SUM_COLUMNS) continue;
        gemm_near v = result_of(&row, fold, across);
        expected[b->first + i] = v.value, bound[b->first + i] = v.error;
    }
}

kz_status gemm_fused_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                               double *bound, kz_error *error) {
    int64_t m = c->axes[M], n = c->axes[N], k = c->axes[K], most = m < BLOCK ? m : BLOCK;
    block b = {.c = c, .host = host, .e = fused_epilogue_of(c)};
    float *right = widen(c->type, host[B], k, n, !fused_b_mn(c)),
          *left = widen(c->type, host[A], m, k, false);
    folded *columns = malloc((size_t)(n + 1) * sizeof *columns);
    b.sums = malloc((size_t)(most * n + 1) * sizeof *b.sums);
    b.of_rows = malloc((size_t)(most + n + 1) * sizeof *b.of_rows), b.of_columns = b.of_rows + most;
    b.values = malloc((size_t)(most * n + 1) * sizeof *b.values);
    bool there = left && right && columns && b.sums && b.of_rows && b.values;
    for (int64_t j = 0; there && j < n; j++) columns[j] = nothing(b.e.x.fold);
    for (; there && b.first < (uint64_t)m; b.first += b.rows) {
        b.rows = kz_min_u64((uint64_t)most, (uint64_t)m - b.first);
        gemm_product product = {left + b.first * (uint64_t)k, right, (int64_t)b.rows, n, k};
        gemm_multiply(&product, b.sums);
        gemm_sum_fourth_powers(&product, b.of_rows, b.of_columns);
        apply(&b);
        answer(&b, which, columns, expected, bound);
    }
    for (int64_t j = 0; there && which == X && b.e.x.fold == FOLD_SUM_COLUMNS && j < n; j++) {
        gemm_near v = result_of(&columns[j], b.e.x.fold, (uint64_t)m);
        expected[j] = v.value, bound[j] = v.error;
    }
    free(left), free(right), free(columns), free(b.sums), free(b.of_rows), free(b.values);
    return there ? KZ_OK : kz_fail(error, KZ_NO_MEMORY, "gemm_fused: no memory for the reference");
}

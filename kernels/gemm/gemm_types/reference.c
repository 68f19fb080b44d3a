// gemm_types: the right answer in double, and how far sums of tensor cores may be from it.
//
// Integers are exact. Otherwise c errs by three things (docs/accuracy.md):
//
// - Operands. tf32 rounds each to 11 digits. Two tf32 hold 22 to 24 digits of a float, and low * low is left out.
// - Sums. A step adds 8 products of tf32, or 32 of fp8, and the sum so far: each term is cut off below a last place that the
//   largest of them has, and so is the result. That place is 2^-23 for tf32, 2^-13 for fp8. What is cut off has its term's
//   sign: over terms of both signs errors are independent, and six deviations are allowed; where they all have one, they add up.
//   Promoted sums begin anew every 128 products.
// - c's type rounds once.
//
// Doubles err as sgemm's floats do (its reference), each multiply-add by 2^-53; the sum that stands here for the right answer errs
// as much again.
//
// How one-sided the terms are is the sum over the sum of their magnitudes. The latter is estimated by the magnitudes of the row
// and the column, as if these were independent.
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

enum { DEVIATIONS = 6 };
#define OF_LARGEST 0.3 // the standard deviation of a product's rounded factors, of the largest error

typedef struct model {
    double operand;     // relative error of a product by its operands, at most
    double place;       // the last one of a sum
    double step;        // products that are added at once
    double bias, drift; // places that a step errs by, all terms of one sign; standard deviation, of both
} model;
// A term of fp8 that loses something loses half a place on average, with a third of its square as variance. Of 33 of one sign all
// may, of both signs fewer do: the sum stays small, and their products have eight digits. Terms of tf32 lose less than a
// place; the figures are for GPUs that add four at once.
static const model tf32_model = {0x1p-10, 0x1p-23, 8, 3.5, 1.3};
static const model tf32x3_model = {0x1p-21, 0x1p-23, 8, 3.5, 1.3};
static const model fp8_model = {0, 0x1p-13, 32, 17, 1.7};

// Of one row of a, or of one column of b.
typedef struct line {
    double fourth_powers; // the root of their sum
    double magnitudes;    // their sum
} line;

typedef struct sizes {
    double k, sum;
    line a, b;
} sizes;

static double bound_of(const gemm_types_format *f, const sizes *s) {
    const model *by = f->in == KZ_U8 ? &fp8_model : f->parts > 1 ? &tf32x3_model : &tf32_model;
    double sum = fabs(s->sum), squares = s->a.fourth_powers * s->b.fourth_powers; // of the products, at most
    double terms = s->a.magnitudes * s->b.magnitudes / s->k,
           chunks = f->promoted ? ceil(s->k / KZ_GEMM_TYPES_BLOCK) : 1;
    double steps = ceil(fmin(s->k, f->promoted ? KZ_GEMM_TYPES_BLOCK : s->k) / by->step);
    double one_sided = terms > sum ? sum / terms : 1.0;
    // The squares of the sums so far, over all steps: those of a random walk, and of one that goes straight.
    double walk = steps * (squares / 2 + (chunks > 1 ? squares / 3 : 0) + sum * sum / chunks / 3) + squares;
    // The sum so far is cut off toward zero in every step: while it keeps its sign, these errors add up.
    double cut_off = f->in == KZ_F32 ? by->place / 4 * steps * (sum + sqrt(squares)) : 0; // fp8: in its bias
    double error =
        by->operand * (sum * one_sided + DEVIATIONS * OF_LARGEST * sqrt(squares)) + cut_off +
        by->place * (by->bias * (steps / 2 + 1) * sum * one_sided + DEVIATIONS * by->drift * sqrt(walk)) +
        chunks * 0x1p-24 * (sum + sqrt(squares)) + s->k * 0x1p-149;
    if (f->in == KZ_F32) error += 0x1p-136 * (s->a.magnitudes + s->b.magnitudes); // tf32's smallest
    return isfinite(error) ? error + kz_half_ulp(f->out, sum + error) : error;
}

static double bound_of_doubles(const kz_case *c, double sum, double squares) {
    double k = (double)c->axes[K], u = kz_unit_roundoff(KZ_F64);
    double sums = DEVIATIONS * (sqrt(k * (squares / 2.0 + sum * sum / 3.0)) + sqrt(squares));
    if (c->data == KZ_DATA_EQUAL) sums = fmax(sums, fabs(sum) * (k + 3.0) / 2.0); // all round one way
    return 2 * (u * sums + k * 0x1p-1074);
}

// Rows x columns floats, times their scales: elements that lie so, or transposed.
typedef struct matrix {
    int which; // A: its rows are m, or B: its columns are n
    int64_t rows, columns;
    bool transposed;
} matrix;
static float *widen(const kz_case *c, void *const *host, const matrix *o) {
    float *to = malloc((size_t)(o->rows * o->columns + 1) * sizeof *to);
    int scale = o->which == A ? SCALE_A : SCALE_B;
    for (int64_t i = 0; to && i < o->rows; i++)
        for (int64_t j = 0; j < o->columns; j++) {
            uint64_t at = (uint64_t)(o->transposed ? j * o->rows + i : i * o->columns + j),
                     row = (uint64_t)(o->which == A ? i : j), x = (uint64_t)(o->which == A ? j : i);
            to[i * o->columns + j] =
                (float)(gemm_types_get(gemm_types_format_of(c)->element, host[o->which], at) *
                        gemm_types_scale(c, scale, host[scale], row, x));
        }
    return to;
}

static void measure(const gemm_product *p, double *fourth_powers, line *lines) {
    gemm_sum_fourth_powers(p, fourth_powers, fourth_powers + p->m);
    for (int64_t i = 0; i < p->m + p->n; i++) lines[i] = (line){fourth_powers[i], 0};
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t x = 0; x < p->k; x++) lines[i].magnitudes += fabs(p->a[i * p->k + x]);
    for (int64_t x = 0; x < p->k; x++)
        for (int64_t j = 0; j < p->n; j++) lines[p->m + j].magnitudes += fabs(p->b[x * p->n + j]);
}

static double *order_doubles(const double *from, int64_t rows, int64_t columns, bool transposed) {
    double *to = malloc((size_t)(rows * columns + 1) * sizeof *to);
    for (int64_t i = 0; to && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[i * columns + j] = from[transposed ? j * rows + i : i * columns + j];
    return to;
}

static kz_status reference_doubles(const kz_case *c, void *const *host, double *expected, double *bound,
                                   kz_error *error) {
    int64_t m = c->axes[M], n = c->axes[N], k = c->axes[K];
    double *a = order_doubles(host[A], m, k, gemm_types_a_mn(c)),
           *b = order_doubles(host[B], k, n, !gemm_types_b_mn(c));
    double *rows = malloc((size_t)(m + n + 1) * sizeof *rows), *columns = rows + m;
    bool memory = a && b && rows;
    if (memory) {
        gemm_product product = {.m = m, .n = n, .k = k, .a_doubles = a, .b_doubles = b};
        gemm_multiply(&product, expected);
        gemm_sum_fourth_powers(&product, rows, columns);
        for (int64_t i = 0; i < m * n; i++)
            bound[i] = bound_of_doubles(c, expected[i], rows[i / n] * columns[i % n]);
    }
    free(a), free(b), free(rows);
    return memory ? KZ_OK : kz_fail(error, KZ_NO_MEMORY, "gemm_types: no memory for the reference");
}

kz_status gemm_types_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                               double *bound, kz_error *error) {
    (void)which;
    if (gemm_types_format_of(c)->element == GEMM_F64)
        return reference_doubles(c, host, expected, bound, error);
    const gemm_types_format *f = gemm_types_format_of(c);
    int64_t m = c->axes[M], n = c->axes[N], k = c->axes[K];
    float *a = widen(c, host, &(matrix){A, m, k, gemm_types_a_mn(c)}),
          *b = widen(c, host, &(matrix){B, k, n, !gemm_types_b_mn(c)});
    double *fourth_powers = malloc((size_t)(m + n + 1) * sizeof *fourth_powers);
    line *lines = malloc((size_t)(m + n + 1) * sizeof *lines);
    bool memory = a && b && fourth_powers && lines;
    if (memory) {
        gemm_product product = {a, b, m, n, k};
        gemm_multiply(&product, expected);
        measure(&product, fourth_powers, lines);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double *sum = &expected[i * n + j];
                sizes s = {(double)k, *sum, lines[i], lines[m + j]};
                bound[i * n + j] = f->element == GEMM_INT8 || k == 0 ? 0 : bound_of(f, &s);
                if (gemm_may_overflow((double)k, fourth_powers[i] * fourth_powers[m + j]))
                    bound[i * n + j] = KZ_ANYTHING;
                *sum = kz_saturate(f->out, *sum);
            }
    }
    free(a), free(b), free(fourth_powers), free(lines);
    return memory ? KZ_OK : kz_fail(error, KZ_NO_MEMORY, "gemm_types: no memory for the reference");
}

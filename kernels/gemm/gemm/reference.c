// gemm: the right answer in double (of f64: in long double), and how far a sum of k products may be from it.
//
// f16 and bf16 as gemm/product.h has it. f32 as sgemm's reference: six deviations of k independent roundings. f64: k roundings
// of the sum of magnitudes, which no order of addition exceeds. alpha and beta add three roundings of what they scale.
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

enum { DEVIATIONS = 6 };

// One product: its rows of c, and the sums of a and b.
typedef struct part {
    const gemm_spec *s;
    uint64_t product, first, rows; // rows of c, and of a
    double *sums, *errors;         // rows x n
} part;

static double element(const gemm_spec *s, const gemm_matrix *matrix, const void *data, uint64_t product,
                      uint64_t row, uint64_t column) {
    return kz_element_get(s->type, data, product * matrix->stride + row * matrix->ld + column);
}
static double a_at(const part *p, const void *a, uint64_t i, uint64_t x) {
    uint64_t row = p->first + i;
    return element(p->s, &p->s->a, a, p->product, p->s->a_transposed ? x : row, p->s->a_transposed ? row : x);
}
static double b_at(const part *p, const void *b, uint64_t x, uint64_t j) {
    return element(p->s, &p->s->b, b, p->product, p->s->b_transposed ? j : x, p->s->b_transposed ? x : j);
}

static void multiply_doubles(const part *p, const void *a, const void *b) {
    uint64_t n = p->s->n, k = p->s->k;
    for (uint64_t i = 0; i < p->rows; i++)
        for (uint64_t j = 0; j < n; j++) {
            long double sum = 0.0L, magnitudes = 0.0L;
            for (uint64_t x = 0; x < k; x++) {
                long double term = (long double)a_at(p, a, i, x) * (long double)b_at(p, b, x, j);
                sum += term;
                magnitudes += fabsl(term);
            }
            p->sums[i * n + j] = (double)sum;
            p->errors[i * n + j] =
                (double)((long double)(k + 2) * 0x1p-53L * magnitudes) + (double)k * 0x1p-1074;
        }
}

static double bound_of_floats(double k, double sum, double squares) {
    double u = kz_unit_roundoff(KZ_F32), spread = sqrt(k * (squares / 2.0 + sum * sum / 3.0)) + sqrt(squares);
    return u * (DEVIATIONS * spread + fabs(sum) * (k + 3.0) / 2.0) + k * 0x1p-149;
}

static kz_status multiply_floats(const part *p, const void *a_from, const void *b_from, kz_error *error) {
    uint64_t m = p->rows, n = p->s->n, k = p->s->k;
    float *a = malloc((m * k + k * n + 1) * sizeof *a), *b = a + m * k;
    double *rows = malloc((m + n + 1) * sizeof *rows), *columns = rows + m;
    if (a && rows) {
        for (uint64_t i = 0; i < m * k; i++) a[i] = (float)a_at(p, a_from, i / k, i % k);
        for (uint64_t i = 0; i < k * n; i++) b[i] = (float)b_at(p, b_from, i / n, i % n);
        gemm_product product = {a, b, (int64_t)m, (int64_t)n, (int64_t)k};
        gemm_multiply(&product, p->sums);
        gemm_sum_fourth_powers(&product, rows, columns);
        for (uint64_t i = 0; i < m * n; i++) {
            double squares = rows[i / n] * columns[i % n], *sum = &p->sums[i];
            p->errors[i] = p->s->type == KZ_F32 ? bound_of_floats((double)k, *sum, squares)
                                                : gemm_halves_bound((double)k, *sum, squares);
            if (gemm_may_overflow((double)k, squares)) p->errors[i] = KZ_ANYTHING;
            *sum = kz_saturate(KZ_F32, *sum);
        }
    }
    kz_status status = a && rows ? KZ_OK : kz_fail(error, KZ_NO_MEMORY, "gemm: no memory for the reference");
    free(a), free(rows);
    return status;
}

// alpha and beta, and the rounding to c's type.
static void finish(const part *p, const void *c, double *expected, double *bound) {
    const gemm_spec *s = p->s;
    double u = kz_unit_roundoff(s->type == KZ_F64 ? KZ_F64 : KZ_F32);
    for (uint64_t i = 0; i < p->rows; i++)
        for (uint64_t j = 0; j < s->n; j++) {
            uint64_t at = p->product * s->c.stride + (p->first + i) * s->c.ld + j;
            double scaled = s->k ? s->alpha * p->sums[i * s->n + j] : 0.0;
            double added = s->beta != 0.0 ? s->beta * kz_element_get(s->out, c, at) : 0.0,
                   value = scaled + added;
            double error = s->k ? fabs(s->alpha) * p->errors[i * s->n + j] : 0.0;
            if (s->alpha != 1.0 || s->beta != 0.0) error += 3.0 * u * (fabs(scaled) + fabs(added));
            bound[at] = isfinite(error) ? error + kz_half_ulp(s->out, fabs(value) + error) : error;
            if (s->k && p->errors[i * s->n + j] == KZ_ANYTHING) bound[at] = KZ_ANYTHING;
            expected[at] = kz_saturate(s->out, value);
        }
}

static kz_status multiply_part(const part *p, void *const *host, double *expected, double *bound,
                               kz_error *error) {
    kz_status status = KZ_OK;
    if (p->s->type == KZ_F64)
        multiply_doubles(p, host[A], host[B]);
    else if (p->s->k)
        status = multiply_floats(p, host[A], host[B], error);
    if (!status) finish(p, host[C], expected, bound);
    return status;
}

kz_status gemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    (void)which;
    gemm_spec s = gemm_spec_of(c);
    double *sums = malloc((2 * s.m * s.n + 1) * sizeof *sums);
    if (!sums) return kz_fail(error, KZ_NO_MEMORY, "gemm: no memory for the reference");
    kz_buffer list[KZ_FAMILY_BUFFERS];
    kz_family_gemm.buffers(c, list);
    for (uint64_t i = 0; i < list[C].count; i++) { // what is no element of c stays
        bool kept = list[C].role == KZ_INOUT;
        expected[i] = kept ? kz_element_get(s.out, host[C], i) : 0.0;
        bound[i] = kept ? 0.0 : KZ_ANYTHING;
    }
    kz_status status = KZ_OK;
    for (uint64_t i = 0; i < s.count && !status && !gemm_is_empty(&s); i++) {
        part p = {&s, i, 0, s.m, sums, sums + s.m * s.n};
        if (s.form == KZ_GEMM_GROUPED) {
            const uint32_t *offsets = host[OFFSETS];
            p.first = offsets[i], p.rows = offsets[i + 1] - offsets[i];
        }
        status = multiply_part(&p, host, expected, bound, error);
    }
    free(sums);
    return status;
}

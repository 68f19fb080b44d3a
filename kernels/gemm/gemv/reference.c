// gemv: the right answer in double, and how far a sum of products in single precision may be from it.
//
// As for sgemm (kernels/gemm/sgemm/reference.c): with S the sum of k products and Q the sum of their squares, independent roundings of
// at most u times the partial sum have a deviation below u sqrt(k (Q / 2 + S^2 / 3)), rounded products one of u sqrt(Q); six are
// allowed. u is 2^-23 here, not 2^-24, for tensor cores cut off where others round; a group's scale and the additions
// of parts are a few roundings more, of larger parts. Equal products round alike: u |S| (k + 1) / 2. Q is at most
// sqrt(sum x^4 sum w^4). The result is rounded once to the type. Sums in a half type are out.
#include <math.h>
#include <stdlib.h>

#include "private.h"

enum { DEVIATIONS = 6 };

static double root_of_fourth_powers(const double *row, uint64_t k) {
    double sum = 0.0;
    for (uint64_t i = 0; i < k; i++) sum += row[i] * row[i] * row[i] * row[i];
    return sqrt(sum);
}

static double dot(const double *a, const double *b, uint64_t k) {
    double sum[4] = {0};
    uint64_t i = 0;
    for (; i + 4 <= k; i += 4)
        for (int j = 0; j < 4; j++) sum[j] += a[i + (uint64_t)j] * b[i + (uint64_t)j];
    for (; i < k; i++) sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static double bound_of(const kz_case *c, double sum, double squares) {
    if (!isfinite(sum)) return 0.0;
    double k = (double)c->axes[K], u = 2.0 * kz_unit_roundoff(KZ_F32);
    double roundings = DEVIATIONS * (sqrt(k * (squares / 2.0 + sum * sum / 3.0)) + sqrt(squares));
    if (c->data == KZ_DATA_EQUAL || c->data == KZ_DATA_ONES)
        roundings = fmax(roundings, fabs(sum) * (k + 1.0) / 2.0);
    double wide = u * roundings + k * 0x1p-149;
    return wide + kz_half_ulp(c->type, fabs(sum) + wide);
}

kz_status gemv_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    uint64_t m = (uint64_t)c->axes[M], n = (uint64_t)c->axes[N], k = (uint64_t)c->axes[K];
    double *x = malloc((m * k + k + m + 1) * sizeof *x), *row = x + m * k, *squares = row + k;
    if (!x) return kz_fail(error, KZ_NO_MEMORY, "gemv: no memory for x in double");
    for (uint64_t i = 0; i < m * k; i++) x[i] = kz_element_get(c->type, host[X], i);
    for (uint64_t i = 0; i < m; i++) squares[i] = root_of_fourth_powers(x + i * k, k);
    const gemv_matrix matrix = {(kz_gemv_format)c->operation, c->type, k, host[W], host[SCALE]};
    for (uint64_t j = 0; j < n; j++) {
        gemv_read_row(&matrix, j, row);
        double of_row = root_of_fourth_powers(row, k);
        for (uint64_t i = 0; i < m; i++) {
            double sum = dot(x + i * k, row, k);
            expected[i * n + j] = kz_saturate(c->type, sum);
            bound[i * n + j] = bound_of(c, sum, squares[i] * of_row);
        }
    }
    free(x);
    return KZ_OK;
}

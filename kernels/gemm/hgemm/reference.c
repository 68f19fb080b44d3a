// hgemm: the right answer in double, and how far sums of tensor cores may be from it.
// gemm/product.h has the bound; at the end c's type rounds once.
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

static double bound_of(double k, double sum, double squares, kz_type out) {
    double error = gemm_halves_bound(k, sum, squares);
    if (gemm_may_overflow(k, squares)) return KZ_ANYTHING;
    return isfinite(error) ? error + kz_half_ulp(out, fabs(sum) + error) : error;
}

kz_status hgemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    (void)which;
    int64_t m = c->axes[M], n = c->axes[N], k = c->axes[K];
    float *a = gemm_widen(c->type, host[A], m, k, hgemm_a_mn(c)),
          *b = gemm_widen(c->type, host[B], k, n, !hgemm_b_mn(c));
    double *rows = malloc((size_t)(m + n + 1) * sizeof *rows), *columns = rows + m;
    if (a && b && rows) {
        gemm_product product = {a, b, m, n, k};
        gemm_multiply(&product, expected);
        gemm_sum_fourth_powers(&product, rows, columns);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double *sum = &expected[i * n + j];
                bound[i * n + j] = bound_of((double)k, *sum, rows[i] * columns[j], hgemm_out(c));
                *sum = kz_saturate(hgemm_out(c), *sum);
            }
    }
    kz_status status =
        a && b && rows ? KZ_OK : kz_fail(error, KZ_NO_MEMORY, "hgemm: no memory for the reference");
    free(a), free(b), free(rows);
    return status;
}

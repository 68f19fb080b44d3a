// sgemm: the right answer in double, and how far a sum of products in single precision may be from it.
//
// An element is a sum of k products. A kernel rounds after each multiply-add, in an order that nobody fixes;
// one that rounds products apart rounds twice. Take the roundings as independent, each at most u = 2^-24
// times the partial sum: after i of k products its square is about i/k Q + (i/k)^2 S^2, with S the sum and Q
// the sum of the products' squares. Summed over i the error's standard deviation is below u sqrt(k (Q / 2 +
// S^2 / 3)), and rounded products add u sqrt(Q). Six of those are allowed: TF32, which keeps 11 bits of each
// factor, errs by 2^-12 sqrt(Q) and is out up to k of some 10^5. Equal products round alike, not independently: of those
// all roundings may go one way, u |S| (k + 1) / 2 together. Q is at most sqrt(sum a^4 sum b^4) (Cauchy
// and Schwarz), so it takes no second product of matrices. Below the smallest normal float a rounding is
// 2^-150 at most.
#include <math.h>
#include <stdlib.h>

#include "gemm/product.h"
#include "private.h"

enum { DEVIATIONS = 6 };

kz_status sgemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    int64_t m = c->axes[M], n = c->axes[N];
    double k = (double)c->axes[K], u = kz_unit_roundoff(KZ_F32);
    double *rows = malloc((size_t)(m + n + 1) * sizeof *rows), *columns = rows + m;
    if (!rows) return kz_fail(error, KZ_NO_MEMORY, "sgemm: no memory for the sums of rows and columns");
    gemm_product product = {host[A], host[B], m, n, c->axes[K]};
    gemm_multiply(&product, expected);
    gemm_sum_fourth_powers(&product, rows, columns);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = expected[i * n + j], squares = rows[i] * columns[j];
            double error_of_sums = DEVIATIONS * sqrt(k * (squares / 2.0 + sum * sum / 3.0)),
                   error_of_products = DEVIATIONS * sqrt(squares);
            if (c->data == KZ_DATA_EQUAL) {
                error_of_sums = fmax(error_of_sums, fabs(sum) * (k + 1.0) / 2.0);
                error_of_products = fmax(error_of_products, fabs(sum));
            }
            bound[i * n + j] = gemm_may_overflow(k, squares)
                                   ? KZ_ANYTHING
                                   : u * (error_of_sums + error_of_products) + k * 0x1p-149;
        }
    free(rows);
    return KZ_OK;
}

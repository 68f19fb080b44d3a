// c = a b. A sum of k products in float: each product is rounded once and each term then takes part in at
// most k additions, so |error| <= k U sum |a||b| (to first order; the 1.001 covers the rest). Operations: 2
// m n k, exactly.
void reference(const double *a, const double *b, double *c, double *c_bound, double *flops,
               double *flops_bound, int64_t m, int64_t n, int64_t k) {
    (void)flops_bound;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, magnitude = 0;
            for (int64_t p = 0; p < k; p++) {
                sum += a[i * k + p] * b[p * n + j];
                magnitude += fabs(a[i * k + p] * b[p * n + j]);
            }
            c[i * n + j] = sum;
            c_bound[i * n + j] = 1.001 * (double)k * U_F32 * magnitude;
        }
    flops[0] = 2.0 * (double)m * (double)n * (double)k;
}

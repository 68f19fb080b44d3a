// c = a b, b being k rows of ldb floats of which the first n count. In any order: |error| <= k U sum |a||b|, to first order.
void reference(const double *a, const double *b, double *c, double *c_bound, int64_t m, int64_t n, int64_t k, int64_t ldb) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, magnitude = 0;
            for (int64_t p = 0; p < k; p++) {
                sum += a[i * k + p] * b[p * ldb + j];
                magnitude += fabs(a[i * k + p] * b[p * ldb + j]);
            }
            c[i * n + j] = sum;
            c_bound[i * n + j] = 1.001 * (double)(k + 1) * U_F32 * magnitude;
        }
}

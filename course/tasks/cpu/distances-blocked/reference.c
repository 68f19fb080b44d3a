// A relative error of (k + 3) U: see distances-naive.
void reference(const double *x, const double *y, double *d, double *d_bound, int64_t m, int64_t n, int64_t k) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++) sum += (x[i * k + p] - y[j * k + p]) * (x[i * k + p] - y[j * k + p]);
            d[i * n + j] = sum;
            d_bound[i * n + j] = 1.001 * (double)(k + 3) * U_F32 * sum;
        }
}

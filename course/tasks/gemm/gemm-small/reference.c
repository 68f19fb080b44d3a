// C = A B, row by row. A correct kernel adds k products in float, in any order: its rounding errors grow like
// sqrt(k) times the unit round-off times the sum of magnitudes (Higham, Accuracy and Stability, section 2.8).
void reference(const double *a, const double *b, double *c, double *c_bound, int64_t m, int64_t n, int64_t k) {
    double factor = (2 + 2 * sqrt((double)k)) * U_F32;
    for (int64_t row = 0; row < m; row++) {
        double *sums = &c[row * n], *magnitudes = &c_bound[row * n];
        for (int64_t column = 0; column < n; column++) sums[column] = magnitudes[column] = 0;
        for (int64_t i = 0; i < k; i++) // along the rows of b: the order in which it lies in memory
            for (int64_t column = 0; column < n; column++) {
                double product = a[row * k + i] * b[i * n + column];
                sums[column] += product;
                magnitudes[column] += fabs(product);
            }
        for (int64_t column = 0; column < n; column++) magnitudes[column] *= factor;
    }
}

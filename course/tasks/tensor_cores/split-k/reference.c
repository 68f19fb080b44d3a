// Products of halves are exact in single precision; k terms are added, with errors of the sum's unit round-off each. Tensor
// cores truncate: at most twice that, and as their errors do not cancel, no square root is taken.
void reference(const double *a, const double *b, double *c, double *c_bound, int64_t m, int64_t n, int64_t k) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = 0, magnitude = 0;
            for (int64_t i = 0; i < k; i++) {
                double product = a[row * k + i] * b[i * n + column];
                sum += product, magnitude += fabs(product);
            }
            c[row * n + column] = sum;
            c_bound[row * n + column] = (16 + k / 8.0) * U_F32 * magnitude;
        }
}

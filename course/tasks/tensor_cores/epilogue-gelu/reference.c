// The product's error, which gelu enlarges by at most 1.13, erff's own, and one rounding to half.
void reference(const double *a, const double *b, const double *bias, const double *residual, double *out,
               double *out_bound, int64_t m, int64_t n, int64_t k) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = bias[column], magnitude = fabs(sum);
            for (int64_t i = 0; i < k; i++) {
                double product = a[row * k + i] * b[i * n + column];
                sum += product, magnitude += fabs(product);
            }
            int64_t at = row * n + column;
            double value = 0.5 * sum * (1 + erf(sum * 0.70710678118654752)) + residual[at];
            out[at] = value;
            out_bound[at] = 1.2 * (16 + k / 8.0) * U_F32 * magnitude + 8 * U_F32 * (fabs(sum) + 1) + U_F16 * (fabs(value) + 1e-4);
        }
}

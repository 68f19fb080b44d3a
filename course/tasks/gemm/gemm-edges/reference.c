// c = alpha a b + beta c; with a beta of 0 the old content of c does not count, and is not a number here.
void inputs(uint64_t seed, double *a, double *b, double *c, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
            int64_t ldc, double alpha, double beta) {
    if (beta == 0)
        for (int64_t i = 0; i < m * ldc; i++) c[i] = NAN;
}

void reference(const double *a, const double *b, double *c, double *c_bound, int64_t m, int64_t n, int64_t k, int64_t lda,
               int64_t ldb, int64_t ldc, double alpha, double beta) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = 0, magnitude = 0, *at = &c[row * ldc + column];
            for (int64_t i = 0; i < k; i++) {
                double product = a[row * lda + i] * b[i * ldb + column];
                sum += product;
                magnitude += fabs(product);
            }
            double old = beta == 0 ? 0 : beta * *at;
            *at = alpha * sum + old;
            // the sum's own errors, and one rounding each for the two products and the addition
            c_bound[row * ldc + column] = U_F32 * ((4 + 2 * sqrt((double)k)) * fabs(alpha) * magnitude + 3 * fabs(old));
        }
}

// d(i, j) = sum over p of (x(i, p) - x(j, p))^2. A difference of floats is rounded once (relative U), squared: 2U and U more,
// then k additions of positive terms: a relative error of (k + 3) U, whatever the size of x. That is what the direct form is worth.
void inputs(uint64_t seed, double *x, int64_t n, int64_t k) {
    (void)seed;
    for (int64_t i = 0; n == 12 && i < n * k; i++) x[i] = (double)(float)(x[i] + 1001);
}

void reference(const double *x, double *d, double *d_bound, int64_t n, int64_t k) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++) sum += (x[i * k + p] - x[j * k + p]) * (x[i * k + p] - x[j * k + p]);
            d[i * n + j] = sum;
            d_bound[i * n + j] = 1.001 * (double)(k + 3) * U_F32 * sum;
        }
}

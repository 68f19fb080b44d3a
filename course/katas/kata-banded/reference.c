void inputs(uint64_t seed, double *a, double *x, int64_t n, int64_t w) {
    (void)seed, (void)x;
    for (int64_t d = -w; d <= w; d++)
        for (int64_t i = 0; i < n; i++)
            if (i + d < 0 || i + d >= n) a[(d + w) * n + i] = NAN;
}

void reference(const double *a, const double *x, double *y, double *y_bound, int64_t n, int64_t w) {
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t d = -w; d <= w; d++) {
            if (i + d < 0 || i + d >= n) continue;
            double product = a[(d + w) * n + i] * x[i + d];
            sum += product, magnitude += fabs(product);
        }
        y[i] = sum;
        y_bound[i] = (2 + sqrt(2.0 * (double)w + 1)) * U_F32 * magnitude;
    }
}

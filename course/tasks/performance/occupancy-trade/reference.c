void reference(const double *x, double *y, double *y_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t k = i - 16; k <= i + 16; k++)
            if (k >= 0 && k < n) sum += x[k], magnitude += fabs(x[k]);
        y[i] = sum;
        y_bound[i] = 12 * U_F32 * magnitude;
    }
}

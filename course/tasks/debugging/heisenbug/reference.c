void reference(const double *x, double *sums, double *sums_bound, double *ready, double *ready_bound, double *y, double *y_bound,
               int64_t n) {
    double before = 0, before_bound = 0;
    for (int64_t b = 0; b * 128 < n; b++) {
        double sum = 0, magnitude = 0;
        for (int64_t i = b * 128; i < b * 128 + 128 && i < n; i++) {
            y[i] = x[i] + before;
            y_bound[i] = before_bound + U_F32 * fabs(y[i]);
            sum += x[i], magnitude += fabs(x[i]);
        }
        sums[b] = before = sum;
        sums_bound[b] = before_bound = 16 * U_F32 * magnitude;
        ready[b] = 1, ready_bound[b] = 0;
    }
}

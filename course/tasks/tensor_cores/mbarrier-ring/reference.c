void reference(const double *x, double *y, double *y_bound, int64_t n, int64_t chunks) {
    for (int64_t i = 0; i < 1024 * n; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t c = 0; c < chunks; c++) {
            double value = x[(i / 1024 * chunks + c) * 1024 + i % 1024];
            sum += value, magnitude += fabs(value);
        }
        y[i] = sum;
        y_bound[i] = (1 + sqrt((double)chunks)) * U_F32 * magnitude;
    }
}

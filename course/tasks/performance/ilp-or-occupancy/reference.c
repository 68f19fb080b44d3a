void reference(const double *x, const double *c, double *y, double *y_bound, int64_t n, int64_t degree) {
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t k = degree; k >= 0; k--) {
            sum = sum * x[i] + c[k];
            magnitude = magnitude * fabs(x[i]) + fabs(c[k]);
        }
        y[i] = sum;
        y_bound[i] = 2 * (sqrt((double)degree) + 1) * U_F32 * magnitude;
    }
}

void reference(const double *x, double *y, double *y_bound, int64_t n, int64_t count) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = (double)(count + 1) * x[i];
        y_bound[i] = (double)count * U_F32 * fabs(y[i]);
    }
}

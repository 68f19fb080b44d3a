void reference(const double *x, double *y, double *y_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = x[i], y_bound[i] = 0;
        for (int64_t k = i; k < i + 4 && k < n; k++) y[i] = fmax(y[i], x[k]);
    }
}

void reference(const double *x, const double *scale, const double *shift, double *y, double *y_bound, int64_t n,
               int64_t count) {
    for (int64_t i = 0; i < n; i++) {
        double v = x[i], error = 0;
        for (int64_t k = 0; k < count; k++) {
            double product = scale[k] * v;
            error = fabs(scale[k]) * error + 2 * U_F32 * (fabs(product) + fabs(shift[k]));
            v = fmax(0, product + shift[k]);
        }
        y[i] = v;
        y_bound[i] = error;
    }
}

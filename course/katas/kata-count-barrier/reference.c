void reference(const double *x, double *y, double *y_bound, double *outside, double *outside_bound, int64_t n,
               double low, double high) {
    (void)y_bound, (void)outside_bound;
    outside[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        y[i] = x[i] < low ? low : x[i] > high ? high : x[i];
        outside[0] += x[i] < low || x[i] > high;
    }
}

// Exact: a doubled float is a float. Above 800 GB there is no such memory.
void reference(const double *x, double *y, double *y_bound, double *status, double *status_bound, int64_t n,
               int64_t scratch) {
    (void)y_bound, (void)status_bound;
    int fails = scratch > 800000000000;
    for (int64_t i = 0; i < n; i++) y[i] = fails ? 0 : 2 * x[i];
    status[0] = fails, status[1] = 0;
}

// Any time above 0 is one: what was timed is a matter of the gates.
void reference(const double *x, double *y, double *y_bound, double *ms, double *ms_bound, int64_t n,
               int64_t repeats) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = sqrt(x[i] * x[i] + 1);
        y_bound[i] = 4 * U_F32 * y[i];
    }
    ms[0] = 1e5;
    ms_bound[0] = 1e5 - 1e-7;
    (void)repeats;
}

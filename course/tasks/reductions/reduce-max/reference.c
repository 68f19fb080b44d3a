// The largest number; NaN if there is one. Nothing is rounded: exact.
void reference(const double *x, double *largest, double *largest_bound, int64_t n) {
    (void)largest_bound;
    largest[0] = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (x[i] > largest[0] || x[i] != x[i]) {
            largest[0] = x[i];
            if (x[i] != x[i]) return;
        }
}

// Some sizes stand for special contents.
void inputs(uint64_t seed, double *x, int64_t n) {
    (void)seed;
    if (n == 64 || n == 700)
        for (int64_t i = 0; i < n; i++) x[i] = -INFINITY;
    if (n == 5 || n == 100 || n == 310)
        for (int64_t i = 0; i < n; i++) x[i] = -fabs(x[i]);
    if (n == 998) x[0] = NAN;
    if (n == 999) x[n / 2] = NAN;
    if (n == 1000) x[n - 1] = NAN;
}

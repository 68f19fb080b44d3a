// Some of the finite inputs become NaN and infinite as well, so that every case has all kinds.
void inputs(uint64_t seed, double *x, double *mask, int64_t n) {
    (void)mask;
    for (int64_t i = 0; i < n; i++) {
        int64_t kind = (i + (int64_t)(seed % 3)) % 9;
        if (kind == 3) x[i] = NAN;
        if (kind == 5) x[i] = i % 2 ? INFINITY : -INFINITY;
        if (kind == 7) x[i] = x[i] * 4;
    }
}

void reference(const double *x, const double *mask, double *relu, double *relu_bound, double *clamped, double *clamped_bound,
               double *masked, double *masked_bound, int64_t n) {
    (void)relu_bound, (void)clamped_bound, (void)masked_bound;
    for (int64_t i = 0; i < n; i++) {
        relu[i] = x[i] < 0 ? 0 : x[i];
        clamped[i] = x[i] < -1 ? -1 : x[i] > 1 ? 1 : x[i];
        masked[i] = mask[i] ? x[i] : 0;
    }
}

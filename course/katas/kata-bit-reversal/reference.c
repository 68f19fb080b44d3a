void reference(double *x, double *x_bound, int64_t n, int64_t bits) {
    (void)x_bound;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = 0;
        for (int64_t bit = 0; bit < bits; bit++) j |= (i >> bit & 1) << (bits - 1 - bit);
        if (i >= j) continue;
        double kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

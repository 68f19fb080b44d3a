void reference(const double *x, double *y, double *y_bound, int64_t matrices) {
    (void)y_bound;
    for (int64_t i = 0; i < matrices * 32; i++) {
        uint32_t word = 0;
        for (int64_t r = 0; r < 32; r++) word |= ((uint32_t)x[i / 32 * 32 + r] >> (i % 32) & 1) << r;
        y[i] = word;
    }
}

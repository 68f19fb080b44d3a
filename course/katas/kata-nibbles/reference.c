void reference(const double *packed, const double *scale, double *y, double *y_bound, int64_t n) {
    (void)y_bound;
    for (int64_t i = 0; i < n; i++) {
        int field = (int)((uint32_t)packed[i / 8] >> (4 * (i % 8)) & 15);
        y[i] = scale[i / 32] * (field < 8 ? field : field - 16);
    }
}

void reference(const double *x, const double *y, double *z, double *z_bound, int64_t n) {
    (void)z_bound;
    for (int64_t i = 0; i < n; i++) {
        uint32_t a = (uint32_t)x[i], b = (uint32_t)y[i], word = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            uint32_t sum = (a >> shift & 255) + (b >> shift & 255);
            word |= (sum < 255 ? sum : 255) << shift;
        }
        z[i] = word;
    }
}

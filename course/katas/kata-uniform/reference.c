void inputs(uint64_t seed, double *words, int64_t n) {
    static const double ends[] = {0, 1, 255, 256, 0x7fffffffp0,
                                  0x80000000p0, 0xffffff00p0, 0xffffff7fp0, 0xffffff80p0, 0xffffffffp0};
    (void)seed;
    for (int64_t i = 0; n >= 16 && i < 10; i++) words[i] = ends[i];
}

void reference(const double *words, double *from_zero, double *from_zero_bound, double *to_one, double *to_one_bound, int64_t n) {
    (void)from_zero_bound, (void)to_one_bound;
    for (int64_t i = 0; i < n; i++) {
        from_zero[i] = floor(words[i] / 256) / 16777216;
        to_one[i] = from_zero[i] + 1.0 / 16777216;
    }
}

void inputs(uint64_t seed, double *x, double *random, int64_t n) {
    static const double special[] = {0x00000000p0, 0x80000000p0, 0x7f800000p0, 0xff800000p0, 0x7f800001p0, 0xffffffffp0,
                                     0x7fffffffp0, 0x7f7fffffp0, 0x7f7f0001p0, 0x3f800000p0, 0x3f808000p0, 0xbf80ffffp0,
                                     0x00000001p0, 0x0000ffffp0, 0x007fffffp0, 0x80000001p0, 0x7f80ffffp0, 0xff800000p0};
    (void)seed;
    for (int64_t i = 0; n > 20 && i < 18; i++) x[i] = special[i];
    for (int64_t i = 0; n > 20 && i < 18; i += 2) random[i] = 0x1234ffffp0;
}

// By the distance to the lower neighbour: up if it and the random number make a whole step.
void reference(const double *x, const double *random, double *y, double *y_bound, int64_t n) {
    (void)y_bound;
    for (int64_t i = 0; i < n; i++) {
        double upper = floor(x[i] / 65536), lower = x[i] - 65536 * upper, dice = fmod(random[i], 65536);
        double size = x[i] >= 0x80000000p0 ? x[i] - 0x80000000p0 : x[i];
        y[i] = size > 0x7f800000p0 ? 0x7fff : size == 0x7f800000p0 ? upper : upper + (lower + dice >= 65536 ? 1 : 0);
    }
}

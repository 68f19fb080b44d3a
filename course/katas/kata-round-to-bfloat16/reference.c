// Whole numbers, exactly: compares the distance to both neighbours instead of adding anything.
void inputs(uint64_t seed, double *x, int64_t n) {
    static const double special[] = {0x00000000p0, 0x80000000p0, 0x7f800000p0, 0xff800000p0, 0x7f800001p0,
                                     0xffffffffp0, 0x7fc00000p0, 0x7fffffffp0, 0x7f7fffffp0, 0x7f7f7fffp0,
                                     0x7f7f8000p0, 0xff7f8000p0, 0x00000001p0, 0x00008000p0, 0x00018000p0,
                                     0x007fffffp0, 0x3f808000p0, 0x3f818000p0, 0x3f808001p0, 0x3f817fffp0};
    (void)seed;
    for (int64_t i = 0; i < n; i++) {
        double upper = floor(x[i] / 65536) * 65536;
        if (i % 4 == 1) x[i] = upper + 32768; // exactly between two
        if (i % 8 == 2) x[i] = upper + 32767;
        if (i % 8 == 6) x[i] = upper + 32769;
    }
    for (int64_t i = 0; n > 20 && i < 20; i++) x[i] = special[i];
}

void reference(const double *x, double *y, double *y_bound, int64_t n) {
    (void)y_bound;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)x[i], upper = bits >> 16, lower = bits & 0xffff;
        if ((bits & 0x7fffffffu) > 0x7f800000u)
            upper = 0x7fff;
        else if (lower > 0x8000 || (lower == 0x8000 && upper % 2 == 1))
            upper++;
        y[i] = upper;
    }
}

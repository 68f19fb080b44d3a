// Whole numbers, exactly. The inputs get every power of two, its neighbours, and words with many low zeros.
void inputs(uint64_t seed, double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int shift = (int)((seed / 3 + (uint64_t)i) % 32);
        double one = (double)(1u << shift);
        if (i % 4 == 1) x[i] = one;
        if (i % 4 == 2) x[i] = one - 1;
        if (i % 8 == 3 && shift < 31) x[i] = one + 1;
        if (i % 8 == 7 && shift < 31) x[i] = floor(x[i] / one) * one;
    }
    if (n > 8) x[0] = 0, x[4] = 1, x[8] = 2147483648.0;
}

void reference(const double *x, double *lowest, double *lowest_bound, double *rest, double *rest_bound,
               double *power, double *power_bound, int64_t n) {
    (void)lowest_bound, (void)rest_bound, (void)power_bound;
    for (int64_t i = 0; i < n; i++) {
        double bit = 1, up = 1;
        while (x[i] > 0 && fmod(x[i], 2 * bit) == 0) bit *= 2;
        while (up < x[i]) up *= 2;
        lowest[i] = x[i] > 0 ? bit : 0;
        rest[i] = x[i] - lowest[i];
        power[i] = up;
    }
}

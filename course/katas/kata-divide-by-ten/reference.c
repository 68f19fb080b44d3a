// Whole numbers, exactly. Most inputs lie next to a multiple of ten, where a reciprocal that is too short shows.
void inputs(uint64_t seed, double *x, int64_t n) {
    (void)seed;
    for (int64_t i = 0; i < n; i++) {
        double tens = floor(x[i] / 10) * 10;
        if (i % 4 == 1) x[i] = tens;
        if (i % 4 == 2 && tens > 0) x[i] = tens - 1;
    }
    for (int64_t i = 0; n > 40 && i < 16; i++) x[i] = 4294967295.0 - (double)i;
    for (int64_t i = 16; n > 40 && i < 40; i++) x[i] = (double)(i - 16);
}

void reference(const double *x, double *quotient, double *quotient_bound, double *digit, double *digit_bound,
               int64_t n) {
    (void)quotient_bound, (void)digit_bound;
    for (int64_t i = 0; i < n; i++) {
        quotient[i] = floor(x[i] / 10);
        digit[i] = x[i] - 10 * quotient[i];
    }
}

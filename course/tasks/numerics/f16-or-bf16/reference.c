// Numbers over 2^-30 to 2^40, of both signs; every eleventh lies exactly between two bfloat16, and there only rounding to even is right.
void inputs(uint64_t seed, double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) continue;
        double mantissa = x[i] < 0 ? x[i] - 1 : x[i] + 1;
        int power = (int)((i * 29 + (int64_t)(seed % 71)) % 71) - 30;
        if (i % 11 == 5) mantissa = 1 + (double)(2 * (i % 64) + 1) / 256; // an odd number of half steps: a tie
        x[i] = (double)(float)ldexp(mantissa, power);
    }
}

// Rounded to `digits` binary digits, exponents no lower than `lowest`: to the even neighbour in the middle.
static double rounded(double value, int digits, int lowest, double overflow) {
    if (!isfinite(value) || value == 0) return value;
    int power;
    frexp(value, &power); // value = 0.1... * 2^power
    if (power - 1 < lowest) power = lowest + 1;
    double step = ldexp(1, power - digits), result = nearbyint(value / step) * step;
    return fabs(result) >= overflow ? copysign(INFINITY, value) : result;
}

void reference(const double *x, double *h, double *h_bound, double *b, double *b_bound, double *nearer, double *nearer_bound,
               int64_t n) {
    (void)h_bound, (void)b_bound, (void)nearer_bound;
    for (int64_t i = 0; i < n; i++) {
        h[i] = rounded(x[i], 11, -14, 65536);
        b[i] = rounded(x[i], 8, -126, 0x1p128);
        double off_h = fabs(h[i] - x[i]), off_b = fabs(b[i] - x[i]);
        nearer[i] = off_h < off_b ? 1 : off_b < off_h ? 2 : 0;
    }
}

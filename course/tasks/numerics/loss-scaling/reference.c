// Sizes from 2^-34 to 2^6, both signs; every 19th is 0.
void inputs(uint64_t seed, double *g, int64_t n, int64_t power) {
    (void)power;
    for (int64_t i = 0; i < n; i++) {
        double mantissa = g[i] < 0 ? g[i] - 1 : g[i] + 1;
        if (g[i] == 0) continue;
        int octave = (int)((i * 17 + (int64_t)(seed % 40)) % 40) - 34;
        g[i] = i % 19 == 7 ? 0 : (double)(float)ldexp(mantissa, octave);
    }
}

// To nearest, ties to even: 11 digits, nothing below 2^-24.
static double half_of(double value) {
    int power;
    if (value == 0) return value;
    frexp(value, &power);
    double step = ldexp(1, (power < -13 ? -13 : power) - 11), result = nearbyint(value / step) * step;
    return fabs(result) >= 65520 ? copysign(INFINITY, value) : result;
}

void reference(const double *g, double *stored, double *stored_bound, double *back, double *back_bound, double *counts,
               double *counts_bound, int64_t n, int64_t power) {
    (void)stored_bound, (void)back_bound, (void)counts_bound;
    counts[0] = counts[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        stored[i] = half_of(ldexp(g[i], (int)power));
        back[i] = ldexp(stored[i], (int)-power);
        counts[0] += g[i] != 0 && stored[i] == 0;
        counts[1] += isinf(stored[i]) != 0;
    }
}

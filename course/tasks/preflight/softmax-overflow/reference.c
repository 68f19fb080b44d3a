// y = exp(x - max) / sum, lse = max + log(sum). Bounds, U = U_F32: x - max is rounded once, and exp makes a
// relative error of U |x - max| out of it; expf is within 1 unit in the last place (2 U); the sum of n
// positive terms adds at most n U and the worst of their errors; the division U. Results below 2^-126 have
// fewer digits: a floor of the smallest normal number's rounding, with room. lse: the relative error of the
// sum becomes an absolute one of the logarithm, then the addition rounds once.
void reference(const double *x, double *y, double *y_bound, double *lse, double *lse_bound, int64_t n) {
    double max = x[0], sum = 0, spread = 0;
    for (int64_t i = 0; i < n; i++) max = x[i] > max || isnan(x[i]) ? x[i] : max;
    for (int64_t i = 0; i < n; i++) sum += exp(x[i] - max);
    for (int64_t i = 0; i < n; i++) spread = fmax(spread, fmin(max - x[i], 104) * exp(x[i] - max));
    double of_sum = U_F32 * ((double)n + 3 + (double)n * spread / sum);
    for (int64_t i = 0; i < n; i++) {
        y[i] = exp(x[i] - max) / sum;
        y_bound[i] = y[i] * (U_F32 * (4 + fmin(max - x[i], 104)) + of_sum) + 2e-45;
    }
    lse[0] = max + log(sum);
    lse_bound[0] = of_sum + U_F32 * (2 * fabs(log(sum)) + fabs(lse[0]));
}

// n = 3, 33, ...: all scores far below zero, where a maximum that starts at 0 goes wrong.
void inputs(uint64_t seed, double *x, int64_t n) {
    (void)seed;
    if (n % 10 == 3)
        for (int64_t i = 0; i < n; i++) x[i] = -90 - x[i];
}

// 1 - beta from 2^-1 to 2^-20. The logarithm and the product are rounded: relative errors that expm1 does not enlarge.
void inputs(uint64_t seed, double *beta, double *steps, int64_t n) {
    (void)seed;
    for (int64_t i = 0; i < n; i++) {
        beta[i] = (double)(float)(1 - ldexp(0.5 + 0.5 * beta[i], -(int)(i * 7 % 20) - 1));
        steps[i] = i % 3 == 0 ? 1 + i % 4 : steps[i] + 1;
    }
}

void reference(const double *beta, const double *steps, double *correction, double *correction_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        correction[i] = -expm1(steps[i] * log1p(beta[i] - 1));
        correction_bound[i] = 8 * U_F32 * correction[i];
    }
}

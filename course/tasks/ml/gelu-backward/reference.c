// dy (F + x f). erf and 1 + erf are rounded (absolute, a few u), the exponent x^2/2 twice, which exp turns into a relative error.
void reference(const double *x, const double *dy, double *dx, double *dx_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double below = 0.5 * (1 + erf(x[i] / sqrt(2))), bell = x[i] * exp(-0.5 * x[i] * x[i]) / sqrt(2 * M_PI);
        dx[i] = dy[i] * (below + bell);
        dx_bound[i] = fabs(dy[i]) * U_F32 * (4 + fabs(bell) * (8 + x[i] * x[i]) + 2 * fabs(below + bell)) + 0x1p-126;
    }
}

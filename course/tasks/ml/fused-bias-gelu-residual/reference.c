// gelu(x + bias) + residual. Roundings: of the sum (whose error GELU passes on with a slope of at most 1.13), of erf and
// the bracket 1 + erf (absolute, a few u, multiplied by t/2), of the last addition.
void reference(const double *x, const double *bias, const double *residual, double *y, double *y_bound, int64_t rows,
               int64_t columns) {
    for (int64_t i = 0; i < rows * columns; i++) {
        double t = x[i] + bias[i % columns], g = 0.5 * t * (1 + erf(t / sqrt(2)));
        y[i] = g + residual[i];
        y_bound[i] = U_F32 * (6 * fabs(t) + 3 * fabs(g) + 2 * fabs(y[i])) + 0x1p-126;
    }
}

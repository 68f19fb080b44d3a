// gelu(x) = x * Phi(x), with Phi(x) = erfc(-x / sqrt(2)) / 2, which does not cancel on either side.
//
// The bound, in units of U = U_F32 and relative to the result: normcdff and erfcf are within 5 units in the
// last place (10 U) by CUDA's table; the two multiplications give 2 U; the argument -x / sqrt(2) is off by
// up to 2 U, and the tail magnifies a relative error of its argument by |z erfc'(z) / erfc(z)| <= 2 z^2 + 1
// = x^2 + 1 there. Below 2^-126 floats have fewer digits: an absolute floor of a unit of the smallest
// denormal number for each of three operations.
void reference(const double *x, double *y, double *y_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double z = -x[i] / sqrt(2), growth = fmin(x[i] * x[i], 400) + 1;
        y[i] = 0.5 * x[i] * erfc(z);
        y_bound[i] = fabs(y[i]) * U_F32 * (12 + (x[i] < 0 ? 2 * growth : 0)) + 3 * 1.5e-45;
    }
}

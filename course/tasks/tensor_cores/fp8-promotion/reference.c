static double decode(double code) {
    int bits = (int)code, exponent = bits >> 3 & 15, mantissa = bits & 7;
    double value = exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9);
    return bits & 128 ? -value : value;
}

// Codes 127 and 255 are NaN.
void inputs(uint64_t seed, double *a, double *b, double *a_scale, double *b_scale, int64_t m, int64_t n, int64_t k) {
    (void)seed, (void)a_scale, (void)b_scale;
    for (int64_t i = 0; i < m * k; i++)
        if ((int)a[i] % 128 == 127) a[i]--;
    for (int64_t i = 0; i < n * k; i++)
        if ((int)b[i] % 128 == 127) b[i]--;
}

// Products of e4m3 numbers are exact in single precision; sums as in mma-block, and a few roundings more for the scales.
void reference(const double *a, const double *b, const double *a_scale, const double *b_scale, double *c,
               double *c_bound, int64_t m, int64_t n, int64_t k) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = 0, magnitude = 0;
            for (int64_t i = 0; i < k; i++) {
                double scale = a_scale[row * (k / 128) + i / 128] * b_scale[column / 128 * (k / 128) + i / 128];
                double product = scale * decode(a[row * k + i]) * decode(b[column * k + i]);
                sum += product, magnitude += fabs(product);
            }
            c[row * n + column] = sum;
            c_bound[row * n + column] = (20 + k / 8.0) * U_F32 * magnitude;
        }
}

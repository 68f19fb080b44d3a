// Row r is 2^-(3 r) of the first, whose first number is an outlier.
void inputs(uint64_t seed, double *x, double *largest, int64_t rows, int64_t columns) {
    (void)seed;
    largest[0] = 0;
    for (int64_t i = 0; i < rows * columns; i++) {
        x[i] = (double)(float)(ldexp(x[i], (int)(-3 * (i / columns % 8))) * (i == 0 ? 16 : 1));
        largest[0] = fmax(largest[0], fabs(x[i]));
    }
}

// The nearest number of e4m3, at most 448: steps of 2^-3 of the power of two, 2^-9 at the least.
static double e4m3(double value) {
    int exponent;
    frexp(value, &exponent);
    exponent = value != 0 && exponent - 1 > -6 ? exponent - 1 : -6;
    double step = ldexp(1, exponent - 3);
    return copysign(fmin(nearbyint(fabs(value) / step) * step, 448), value);
}

static void row_error(const double *x, double scale, int64_t n, double *sum, double *bound) {
    *sum = *bound = 0;
    for (int64_t i = 0; i < n; i++) {
        // A quotient that is rounded across the middle of two codes gives the other code, with the same error.
        double error = x[i] - scale * e4m3(x[i] / scale), off = 4 * U_F32 * fabs(x[i]);
        *sum += error * error;
        *bound += 2 * fabs(error) * off + off * off;
    }
    *bound += U_F32 * (2 * sqrt((double)n) + 4) * *sum + 0x1p-126;
}

void reference(const double *x, const double *largest, double *by_tensor, double *by_tensor_bound, double *by_row,
               double *by_row_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        double amax = 0;
        for (int64_t i = 0; i < columns; i++) amax = fmax(amax, fabs(x[row * columns + i]));
        row_error(&x[row * columns], largest[0] > 0 ? largest[0] / 448 : 1, columns, &by_tensor[row], &by_tensor_bound[row]);
        row_error(&x[row * columns], amax > 0 ? amax / 448 : 1, columns, &by_row[row], &by_row_bound[row]);
    }
}

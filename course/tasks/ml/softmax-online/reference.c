// Rows of exp(x - max) over their sum. Errors of a correct kernel: the rounding of x - max becomes a relative error of
// |x - max| u in the exponential (four times that lets the fast __expf pass), a few roundings, and the sum's sqrt(n) u.
void reference(const double *x, double *y, double *y_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &x[row * columns];
        double greatest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < columns; i++) greatest = fmax(greatest, from[i]);
        for (int64_t i = 0; i < columns; i++) sum += exp(from[i] - greatest);
        for (int64_t i = 0; i < columns; i++) {
            double value = exp(from[i] - greatest) / sum, distance = isinf(from[i]) ? 0 : greatest - from[i];
            y[row * columns + i] = value;
            y_bound[row * columns + i] = value * U_F32 * (8 + 4 * distance + 2 * sqrt((double)columns)) + 0x1p-126;
        }
    }
}

// Softmax of each row. What a correct kernel may lose: x - greatest is rounded (an error of |x - greatest| u in the exponent),
// expf is good to 2 u, the sum of positive terms adds 2 sqrt(n) u, the quotient 1 u. Shares below 2^-126 have fewer digits.
void reference(const double *x, double *y, double *y_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &x[row * columns];
        double greatest = -INFINITY, sum = 0;
        for (int64_t i = 0; i < columns; i++) greatest = fmax(greatest, from[i]);
        for (int64_t i = 0; i < columns; i++) sum += exp(from[i] - greatest);
        for (int64_t i = 0; i < columns; i++) {
            double share = exp(from[i] - greatest) / sum;
            y[row * columns + i] = share;
            y_bound[row * columns + i] =
                share * U_F32 * (8 + 4 * (greatest - from[i]) + 2 * sqrt((double)columns)) + 0x1p-126;
        }
    }
}

// Shares from the fresh numbers: squares, divided by their sum.
void inputs(uint64_t seed, double *y, double *dy, int64_t rows, int64_t columns) {
    (void)seed, (void)dy;
    for (int64_t row = 0; row < rows; row++) {
        double *to = &y[row * columns], sum = 0;
        for (int64_t i = 0; i < columns; i++) sum += to[i] * to[i] + 1e-3;
        for (int64_t i = 0; i < columns; i++) to[i] = (to[i] * to[i] + 1e-3) / sum;
    }
}

// dx = y (dy - s), s = sum of y dy. The sum is off by 2 sqrt(n) + 2 u of its magnitudes, the last two steps by a rounding each.
void reference(const double *y, const double *dy, double *dx, double *dx_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *share = &y[row * columns], *slope = &dy[row * columns];
        double sum = 0, size = 0;
        for (int64_t i = 0; i < columns; i++) sum += share[i] * slope[i], size += fabs(share[i] * slope[i]);
        for (int64_t i = 0; i < columns; i++) {
            dx[row * columns + i] = share[i] * (slope[i] - sum);
            dx_bound[row * columns + i] =
                share[i] * U_F32 * ((2 * sqrt((double)columns) + 2) * size + 3 * (fabs(slope[i]) + fabs(sum))) + 0x1p-126;
        }
    }
}

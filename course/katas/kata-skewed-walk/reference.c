void reference(const double *x, double *sums, double *sums_bound, int64_t tiles) {
    for (int64_t row = 0; row < tiles * 32; row++) {
        double sum = 0, magnitude = 0;
        for (int64_t c = 0; c < 32; c++) sum += x[row * 32 + c], magnitude += fabs(x[row * 32 + c]);
        sums[row] = sum;
        sums_bound[row] = 2 * sqrt(32.0) * U_F32 * magnitude;
    }
}

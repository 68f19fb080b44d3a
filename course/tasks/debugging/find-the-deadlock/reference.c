void reference(const double *x, double *sums, double *sums_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0, magnitude = 0;
        for (int64_t i = 0; i < columns; i++) sum += x[row * columns + i], magnitude += fabs(x[row * columns + i]);
        sums[row] = sum;
        sums_bound[row] = (2 + 2 * sqrt((double)columns)) * U_F32 * magnitude;
    }
}

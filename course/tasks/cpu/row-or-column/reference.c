void reference(const double *a, double *sums, double *sums_bound, int64_t rows, int64_t columns) {
    for (int64_t j = 0; j < columns; j++) {
        double magnitude = 0;
        sums[j] = 0;
        for (int64_t i = 0; i < rows; i++) sums[j] += a[i * columns + j], magnitude += fabs(a[i * columns + j]);
        sums_bound[j] = (double)rows * U_F32 * magnitude; // rows - 1 additions in float, in any order
    }
}

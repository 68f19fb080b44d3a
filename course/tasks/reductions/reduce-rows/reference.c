// Each row's sum in double; the bound as for any sum of floats in any order, per row.
void reference(const double *x, double *sums, double *sums_bound, int64_t rows, int64_t columns) {
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0, magnitude = 0;
        for (int64_t c = 0; c < columns; c++)
            sum += x[r * columns + c], magnitude += fabs(x[r * columns + c]);
        sums[r] = sum;
        sums_bound[r] = 2 * sqrt((double)columns) * U_F32 * magnitude;
    }
}

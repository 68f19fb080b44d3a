void reference(const double *x, const double *w, double *y, double *y_bound, int64_t rows, int64_t columns) {
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t c = 0; c < columns; c++) sum += x[r * columns + c] * w[c];
        y[r] = sum;
        y_bound[r] = 3 * sqrt((double)columns) * U_F32 * sum;
    }
}

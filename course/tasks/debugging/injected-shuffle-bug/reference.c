void reference(const double *x, double *norms, double *norms_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0;
        for (int64_t i = 0; i < columns; i++) sum += x[row * columns + i] * x[row * columns + i];
        norms[row] = sqrt(sum);
        norms_bound[row] = sqrt(sum) * U_F32 * (4 + sqrt((double)columns));
    }
}

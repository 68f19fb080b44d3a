void reference(const double *x, const double *residual, const double *gain, double *sum, double *sum_bound, double *y, double *y_bound,
               int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        double squares = 0;
        for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
            sum[i] = x[i] + residual[i];
            sum_bound[i] = U_F32 * fabs(sum[i]);
            squares += sum[i] * sum[i];
        }
        double scale = 1 / sqrt(squares / (double)columns + 1e-5);
        for (int64_t i = row * columns; i < (row + 1) * columns; i++) {
            y[i] = sum[i] * scale * gain[i - row * columns];
            y_bound[i] = fabs(y[i]) * U_F32 * (10 + sqrt((double)columns));
        }
    }
}

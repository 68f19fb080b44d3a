// x / sqrt(mean of squares + 1e-5) * gain. All terms are positive: the sum's relative error is about sqrt(n) u, halved by the root.
void reference(const double *x, const double *gain, double *y, double *y_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        double squares = 0;
        for (int64_t i = 0; i < columns; i++) squares += x[row * columns + i] * x[row * columns + i];
        double scale = 1 / sqrt(squares / (double)columns + 1e-5);
        for (int64_t i = 0; i < columns; i++) {
            double value = x[row * columns + i] * scale * gain[i];
            y[row * columns + i] = value;
            y_bound[row * columns + i] = fabs(value) * U_F32 * (8 + sqrt((double)columns));
        }
    }
}

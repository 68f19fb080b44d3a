// y = (x - mean) / sqrt(variance + 1e-5) * gain + shift, row by row. A correct kernel's errors, relative to the terms: the
// rounding of x - mean (the mean itself is off by a few u times the row's magnitude), of the variance, and of the last steps.
void reference(const double *x, const double *gain, const double *shift, double *y, double *y_bound, int64_t rows,
               int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &x[row * columns];
        double mean = 0, variance = 0, magnitude = 0;
        for (int64_t i = 0; i < columns; i++) mean += from[i], magnitude = fmax(magnitude, fabs(from[i]));
        mean /= (double)columns;
        for (int64_t i = 0; i < columns; i++) variance += (from[i] - mean) * (from[i] - mean);
        variance /= (double)columns;
        double scale = 1 / sqrt(variance + 1e-5), root = sqrt((double)columns);
        // of the mean: a sum in some order, then one division; it also enters the variance, there squared
        double off = U_F32 * magnitude * (4 + root / 4);
        for (int64_t i = 0; i < columns; i++) {
            double normal = (from[i] - mean) * scale;
            double wrong = off * scale + fabs(normal) * (U_F32 * (8 + 2 * root) + off * off * scale * scale);
            y[row * columns + i] = normal * gain[i] + shift[i];
            y_bound[row * columns + i] = wrong * fabs(gain[i]) + 3 * U_F32 * (fabs(normal * gain[i]) + fabs(shift[i]));
        }
    }
}

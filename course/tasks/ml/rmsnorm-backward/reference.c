// The scale is what the forward pass of these rows saves.
void inputs(uint64_t seed, double *x, double *gain, double *scale, double *dy, int64_t rows, int64_t columns) {
    (void)seed, (void)gain, (void)dy;
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0;
        for (int64_t i = 0; i < columns; i++) {
            x[row * columns + i] *= (double)(1 + row % 3 * 4); // rows of several sizes: a scale in the wrong power shows
            sum += (double)(float)x[row * columns + i] * (double)(float)x[row * columns + i];
        }
        scale[row] = 1 / sqrt(sum / (double)columns + 1e-5);
    }
}

// dx = scale (g - h m), m = mean of g h. The mean is off by 2 sqrt(n) + 6 u of the mean of the magnitudes.
void reference(const double *x, const double *gain, const double *scale, const double *dy, double *dx, double *dx_bound,
               int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &x[row * columns], *slope = &dy[row * columns];
        double mean = 0, size = 0;
        for (int64_t i = 0; i < columns; i++) {
            double term = gain[i] * slope[i] * from[i] * scale[row] / (double)columns;
            mean += term, size += fabs(term);
        }
        double off = U_F32 * (2 * sqrt((double)columns) + 6) * size;
        for (int64_t i = 0; i < columns; i++) {
            double g = gain[i] * slope[i], h = from[i] * scale[row];
            dx[row * columns + i] = scale[row] * (g - h * mean);
            dx_bound[row * columns + i] = scale[row] * (fabs(h) * off + 5 * U_F32 * (fabs(g) + fabs(h * mean)));
        }
    }
}

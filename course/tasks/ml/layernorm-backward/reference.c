// Mean and scale as the forward pass of these rows saves them.
void inputs(uint64_t seed, double *x, double *gain, double *mean, double *scale, double *dy, int64_t rows, int64_t columns) {
    (void)seed, (void)gain, (void)dy;
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < columns; i++) {
            x[row * columns + i] = (double)(float)(x[row * columns + i] + (double)(row % 3));
            sum += x[row * columns + i] / (double)columns;
        }
        mean[row] = (double)(float)sum;
        for (int64_t i = 0; i < columns; i++)
            squares += (x[row * columns + i] - sum) * (x[row * columns + i] - sum) / (double)columns;
        scale[row] = 1 / sqrt(squares + 1e-5);
    }
}

// dx = scale (g - a - h b). Of h: the difference to the mean and the product are rounded. Of a and b: sums of n terms.
void reference(const double *x, const double *gain, const double *mean, const double *scale, const double *dy, double *dx,
               double *dx_bound, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; row++) {
        const double *from = &x[row * columns], *slope = &dy[row * columns];
        double a = 0, b = 0, size_a = 0, size_b = 0, s = scale[row], n = (double)columns;
        for (int64_t i = 0; i < columns; i++) {
            double g = gain[i] * slope[i] / n, h = (from[i] - mean[row]) * s;
            a += g, size_a += fabs(g);
            b += g * h, size_b += fabs(g * h);
        }
        double off = U_F32 * (2 * sqrt(n) + 6);
        for (int64_t i = 0; i < columns; i++) {
            double g = gain[i] * slope[i], h = (from[i] - mean[row]) * s;
            dx[row * columns + i] = s * (g - a - h * b);
            dx_bound[row * columns + i] =
                s * (off * (size_a + fabs(h) * size_b) + 5 * U_F32 * (fabs(g) + fabs(a) + fabs(h * b)));
        }
    }
}

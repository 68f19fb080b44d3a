// y = gamma * (x - mean) / sqrt(var + eps), per row; var is the mean of the squares (divided by cols). With
// g = gamma * dy and h = (x - mean) / sqrt(var + eps):
//     dx = (g - mean(g) - h * mean(g * h)) / sqrt(var + eps)
//
// Bound: sums of cols terms in float lose at most (cols + 2) U of the sum of their magnitudes. The mean of x
// is off by d = (cols + 2) U mean|x|, so h is off by d / sqrt(var + eps), and the reciprocal root by as
// much, relatively, twice over: hence the factor `amplified`. The three terms of dx may cancel, so their
// magnitudes are added.
void reference(const double *x, const double *gamma, const double *dy, double *dx, double *dx_bound,
               int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; r++) {
        const double *row = x + r * cols, *up = dy + r * cols;
        double mean = 0, var = 0, mean_x = 0, mean_g = 0, mean_gh = 0, size_g = 0, size_gh = 0;
        for (int64_t c = 0; c < cols; c++)
            mean += row[c] / (double)cols, mean_x += fabs(row[c]) / (double)cols;
        for (int64_t c = 0; c < cols; c++) var += (row[c] - mean) * (row[c] - mean) / (double)cols;
        double inverse = 1 / sqrt(var + 1e-5);
        for (int64_t c = 0; c < cols; c++) {
            double g = gamma[c] * up[c] / (double)cols, h = (row[c] - mean) * inverse;
            mean_g += g, size_g += fabs(g);
            mean_gh += g * h, size_gh += fabs(g * h);
        }
        double amplified = U_F32 * (double)(cols + 8) * (1 + 4 * inverse * mean_x);
        for (int64_t c = 0; c < cols; c++) {
            double g = gamma[c] * up[c], h = (row[c] - mean) * inverse;
            dx[r * cols + c] = inverse * (g - mean_g - h * mean_gh);
            dx_bound[r * cols + c] =
                amplified * inverse * (fabs(g) + size_g + (fabs(h) + 1) * (size_gh + size_g));
        }
    }
}

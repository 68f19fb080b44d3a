// The sum is exact, in the tensor core and here: below 2^24 for k up to 1024. Two multiplications are rounded.
void reference(const double *a, const double *b, const double *a_scale, const double *b_scale, double *c, double *c_bound,
               int64_t m, int64_t n, int64_t k) {
    for (int64_t row = 0; row < m; row++)
        for (int64_t column = 0; column < n; column++) {
            double sum = 0;
            for (int64_t i = 0; i < k; i++) {
                double x = a[row * k + i], y = b[column * k + i];
                sum += (x < 128 ? x : x - 256) * (y < 128 ? y : y - 256);
            }
            c[row * n + column] = a_scale[row] * b_scale[column] * sum;
            c_bound[row * n + column] = 2.5 * U_F32 * fabs(c[row * n + column]);
        }
}

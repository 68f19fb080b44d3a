// As in mma-block, with b by columns and 64 terms.
void reference(const double *a, const double *b, double *d, double *d_bound, int64_t n) {
    for (int64_t i = 0; i < 4096 * n; i++) {
        int64_t tile = i / 4096, row = i % 4096 / 64, column = i % 64;
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < 64; k++) {
            double product = a[tile * 4096 + row * 64 + k] * b[tile * 4096 + column * 64 + k];
            sum += product, magnitude += fabs(product);
        }
        d[i] = sum;
        d_bound[i] = 16 * U_F32 * magnitude;
    }
}

// Products of halves are exact in single precision. Sixteen terms are added, each addition off by one unit round-off of the
// magnitude at most; a tensor core truncates each term below 2^-25 of the largest, and the sum.
void reference(const double *a, const double *b, double *d, double *d_bound, int64_t n) {
    for (int64_t i = 0; i < 128 * n; i++) {
        int64_t tile = i / 128, row = i % 128 / 8, column = i % 8;
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < 16; k++) {
            double product = a[tile * 256 + row * 16 + k] * b[tile * 128 + column * 16 + k];
            sum += product, magnitude += fabs(product);
        }
        d[i] = sum;
        d_bound[i] = 16 * U_F32 * magnitude;
    }
}

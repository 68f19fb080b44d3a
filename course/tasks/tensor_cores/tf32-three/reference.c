// Float's own precision: as for sums of exact products in mma-block. One product of tf32 is off by 2^-12 in each factor.
void reference(const double *a, const double *b, double *d, double *d_bound, int64_t n) {
    for (int64_t i = 0; i < 128 * n; i++) {
        int64_t tile = i / 128, row = i % 128 / 8, column = i % 8;
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < 64; k++) {
            double product = a[tile * 1024 + row * 64 + k] * b[tile * 512 + column * 64 + k];
            sum += product, magnitude += fabs(product);
        }
        d[i] = sum;
        d_bound[i] = 16 * U_F32 * magnitude;
    }
}

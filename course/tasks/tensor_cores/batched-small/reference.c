void reference(const double *a, const double *b, double *c, double *c_bound, int64_t n) {
    for (int64_t i = 0; i < 1024 * n; i++) {
        const double *row = &a[i / 32 * 32], *column = &b[i / 1024 * 1024 + i % 32];
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < 32; k++) {
            double product = row[k] * column[32 * k];
            sum += product, magnitude += fabs(product);
        }
        c[i] = sum;
        c_bound[i] = 16 * U_F32 * magnitude;
    }
}

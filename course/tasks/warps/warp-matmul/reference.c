void reference(const double *a, const double *b, double *c, double *c_bound, int64_t rows) {
    for (int64_t i = 0; i < rows * 32; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < 32; k++) {
            double product = a[i / 32 * 32 + k] * b[k * 32 + i % 32];
            sum += product;
            magnitude += fabs(product);
        }
        c[i] = sum;
        c_bound[i] = 13 * U_F32 * magnitude;
    }
}

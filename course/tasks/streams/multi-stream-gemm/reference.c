void reference(const double *a, const double *b, double *c, double *c_bound, int64_t batch, int64_t n) {
    for (int64_t i = 0; i < batch * n * n; i++) {
        int64_t row = i / n, column = i % n; // rows of all a, one below the other
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < n; k++) {
            double term = a[row * n + k] * b[k * n + column];
            sum += term, magnitude += fabs(term);
        }
        c[i] = sum;
        c_bound[i] = (2 + 2 * sqrt((double)n)) * U_F32 * magnitude;
    }
}

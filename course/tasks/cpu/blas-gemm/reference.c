// y = alpha w x^T + y; x is n rows, ldx apart, the first k of each count. Any order, alpha applied before or after: k + 3 roundings.
void reference(const double *w, const double *x, double *y, double *y_bound, int64_t m, int64_t n, int64_t k, int64_t ldx,
               double alpha) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, magnitude = 0, before = y[i * n + j];
            for (int64_t p = 0; p < k; p++) {
                sum += w[i * k + p] * x[j * ldx + p];
                magnitude += fabs(w[i * k + p] * x[j * ldx + p]);
            }
            y[i * n + j] = alpha * sum + before;
            y_bound[i * n + j] = 1.001 * (double)(k + 3) * U_F32 * (fabs(alpha) * magnitude + fabs(before));
        }
}

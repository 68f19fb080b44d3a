void reference(const double *x, double *total, double *total_bound, int64_t n) {
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i], magnitude += fabs(x[i]);
    total[0] = sum;
    total_bound[0] = (double)n * U_F32 * magnitude; // n - 1 additions in float, in any order
}

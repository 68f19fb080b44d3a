// The sum in double. Additions of floats in any order err like a random walk: n roundings, each at most
// 2^-24 of a partial sum, which the sum of magnitudes bounds.
void reference(const double *x, double *total, double *total_bound, int64_t n) {
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i], magnitude += fabs(x[i]);
    total[0] = sum;
    total_bound[0] = 2 * sqrt((double)n) * U_F32 * magnitude;
}

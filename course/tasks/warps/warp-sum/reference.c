// Sums of 32 in float, in any order: at most 31 additions.
void reference(const double *x, double *sums, double *sums_bound, int64_t n) {
    for (int64_t group = 0; group < (n + 31) / 32; group++) {
        double sum = 0, magnitude = 0;
        for (int64_t i = group * 32; i < group * 32 + 32 && i < n; i++) sum += x[i], magnitude += fabs(x[i]);
        sums[group] = sum;
        sums_bound[group] = 6 * U_F32 * magnitude;
    }
}

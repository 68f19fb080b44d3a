void reference(const double *x, double *rank, double *rank_bound, double *total, double *total_bound, int64_t n, double limit) {
    for (int64_t group = 0; group < (n + 31) / 32; group++) {
        double sum = 0, magnitude = 0;
        int64_t count = 0;
        for (int64_t i = group * 32; i < group * 32 + 32 && i < n; i++) {
            bool large = x[i] > limit;
            rank[i] = large ? (double)count++ : -1;
            rank_bound[i] = 0;
            if (large) sum += x[i], magnitude += fabs(x[i]);
        }
        total[group] = sum;
        total_bound[group] = 6 * U_F32 * magnitude;
    }
}

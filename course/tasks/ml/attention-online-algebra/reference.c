// Of four rows one has keys on both sides, one only in the running result, one only in the part, one none. What has no keys
// holds garbage. Every third row has sums near each other, so that both count.
void inputs(uint64_t seed, double *o, double *lse, double *part, double *part_lse, int64_t rows,
            int64_t width) {
    for (int64_t row = 0; row < rows; row++) {
        int64_t kind = (row + (int64_t)(seed % 4)) % 4;
        if (row % 3) part_lse[row] = (double)(float)(lse[row] + part_lse[row] / 64);
        if (kind & 1) part_lse[row] = -INFINITY;
        if (kind & 2) lse[row] = -INFINITY;
        for (int64_t i = 0; i < width; i++) {
            if (kind & 1) part[row * width + i] = row % 8 < 4 ? NAN : 7;
            if (kind & 2) o[row * width + i] = row % 8 < 4 ? NAN : 7;
        }
    }
}

// The new sum is rounded once more after a few roundings of something below 1. A weight is off by the roundings of its
// exponent, so by u times the sums that were subtracted.
void reference(double *o, double *o_bound, double *lse, double *lse_bound, const double *part,
               const double *part_lse, int64_t rows, int64_t width) {
    for (int64_t row = 0; row < rows; row++) {
        double mine = lse[row], other = part_lse[row], high = fmax(mine, other);
        bool counts = mine != -INFINITY, adds = other != -INFINITY;
        double sum = high == -INFINITY ? high : high + log(exp(mine - high) + exp(other - high));
        double off = U_F32 * (2 * fabs(high) + 8);
        double left = counts ? exp(mine - sum) : 0, right = adds ? exp(other - sum) : 0;
        for (int64_t i = 0; i < width; i++) {
            int64_t at = row * width + i;
            double a = counts ? left * o[at] : 0, b = adds ? right * part[at] : 0;
            o[at] = a + b;
            o_bound[at] = counts && adds ? fabs(a) * (2 * off + 4 * U_F32 * (sum - mine)) +
                                               fabs(b) * (2 * off + 4 * U_F32 * (sum - other)) + 0x1p-120
                                         : 0;
        }
        lse[row] = sum;
        lse_bound[row] = counts && adds ? off : 0;
    }
}

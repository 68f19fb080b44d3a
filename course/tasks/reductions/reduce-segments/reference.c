// Each segment's sum in double; an empty one has 0. The bound as for any sum of floats in any order.
void reference(const double *x, const double *offsets, double *sums, double *sums_bound, int64_t segments,
               int64_t count) {
    (void)count;
    for (int64_t s = 0; s < segments; s++) {
        int64_t first = (int64_t)offsets[s], end = (int64_t)offsets[s + 1];
        double sum = 0, magnitude = 0;
        for (int64_t i = first; i < end; i++) sum += x[i], magnitude += fabs(x[i]);
        sums[s] = sum;
        sums_bound[s] = 2 * sqrt((double)(end - first)) * U_F32 * magnitude;
    }
}

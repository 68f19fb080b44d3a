void reference(const double *keys, double *counts, double *counts_bound, int64_t n, int64_t bins) {
    for (int64_t b = 0; b < bins; b++) counts[b] = 0, counts_bound[b] = 0;
    for (int64_t i = 0; i < n; i++) counts[(int64_t)keys[i]]++;
}

// Stable: within a group the order of the input stays.
void reference(const double *key, const double *x, double *start, double *start_bound, double *grouped, double *grouped_bound,
               int64_t n, int64_t groups) {
    (void)start_bound, (void)grouped_bound;
    int64_t at = 0;
    for (int64_t g = 0; g < groups; g++) {
        start[g] = (double)at;
        for (int64_t i = 0; i < n; i++)
            if (key[i] == (double)g) grouped[at++] = x[i];
    }
    start[groups] = (double)at;
}

void reference(const double *value, const double *key, double *value_out, double *value_out_bound,
               double *key_out, double *key_out_bound, int64_t n) {
    (void)value_out_bound, (void)key_out_bound;
    for (int64_t i = 0; i < n; i++) {
        int64_t first = i / 100 * 100, count = n - first < 100 ? n - first : 100;
        value_out[i] = value[first + count - 1 - (i - first)];
        key_out[i] = key[first + count - 1 - (i - first)];
    }
}

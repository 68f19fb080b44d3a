void reference(const double *x, double *y, double *y_bound, int64_t n) {
    for (int64_t first = 0; first < n; first += 128) {
        int64_t count = n - first < 128 ? n - first : 128;
        double now[128], next[128], size[128], next_size[128];
        for (int64_t t = 0; t < count; t++) now[t] = x[first + t], size[t] = fabs(now[t]);
        for (int round = 0; round < 2; round++) {
            for (int64_t t = 0; t < count; t++) {
                double sum = 0, magnitude = 0;
                int terms = 0;
                for (int64_t k = t > 0 ? t - 1 : 0; k <= t + 1 && k < count; k++) sum += now[k], magnitude += size[k], terms++;
                next[t] = sum / terms, next_size[t] = magnitude / terms;
            }
            memcpy(now, next, sizeof now);
            memcpy(size, next_size, sizeof size);
        }
        for (int64_t t = 0; t < count; t++) y[first + t] = now[t], y_bound[first + t] = 8 * U_F32 * size[t];
    }
}

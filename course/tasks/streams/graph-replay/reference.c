// Words of 32 bits, exact in double.
void reference(const double *x, double *y, double *y_bound, int64_t n, int64_t steps) {
    uint32_t *a = malloc((size_t)n * 4), *b = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) a[i] = (uint32_t)x[i];
    for (int64_t k = 0; k < steps; k++) {
        for (int64_t i = 0; i < n; i++) a[i] = a[i] * 1664525u + 1013904223u;
        for (int64_t i = 0; i < n; i++) b[i] = a[i] ^ (a[(i + 1) % n] >> 3);
        for (int64_t i = 0; i < n; i++) a[i] = b[(i + n - 1) % n] + (uint32_t)i;
    }
    for (int64_t i = 0; i < n; i++) y[i] = a[i], y_bound[i] = 0;
    free(a);
    free(b);
}

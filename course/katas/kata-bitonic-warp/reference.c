static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void reference(const double *x, double *y, double *y_bound, int64_t n) {
    (void)y_bound;
    memcpy(y, x, (size_t)n * sizeof *y);
    for (int64_t first = 0; first < n; first += 32)
        qsort(y + first, (size_t)(n - first < 32 ? n - first : 32), sizeof *y, ascending);
}

// Ascending within each group; element k of group g lies at k * groups + g. Nothing is rounded: y is exact.
static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void reference(const double *x, double *y, double *y_bound, int64_t groups) {
    (void)y_bound;
    for (int64_t g = 0; g < groups; g++) {
        double v[8];
        for (int64_t k = 0; k < 8; k++) v[k] = x[k * groups + g];
        qsort(v, 8, sizeof v[0], ascending);
        for (int64_t k = 0; k < 8; k++) y[k * groups + g] = v[k];
    }
}

// Whole numbers from -2 to 1 if there are 99 groups.
void inputs(uint64_t seed, double *x, int64_t groups) {
    (void)seed;
    if (groups == 99)
        for (int64_t i = 0; i < 8 * groups; i++) x[i] = floor(2 * x[i]);
}

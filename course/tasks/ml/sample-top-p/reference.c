static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Whole numbers from 0 to 30, sorted, the first at least 1; draws with 9 binary digits: every sum and product is exact in float.
void inputs(uint64_t seed, double *weights, double *draws, int64_t rows, int64_t columns, double top) {
    (void)seed, (void)top;
    for (int64_t row = 0; row < rows; row++) {
        double *w = &weights[row * columns];
        for (int64_t i = 0; i < columns; i++) w[i] = floor(30.99 * w[i] * w[i] * (row % 2 ? w[i] * w[i] : 1));
        qsort(w, (size_t)columns, sizeof *w, descending);
        if (w[0] < 1) w[0] = 1;
        draws[row] = fmin(floor(512 * draws[row]), 511) / 512;
        if (row % 7 == 3) draws[row] = 511.0 / 512;
    }
}

void reference(const double *weights, const double *draws, double *choices, double *choices_bound, int64_t rows, int64_t columns,
               double top) {
    (void)choices_bound;
    for (int64_t row = 0; row < rows; row++) {
        const double *w = &weights[row * columns];
        double total = 0, kept = 0, sum = 0;
        int64_t i = 0;
        for (int64_t k = 0; k < columns; k++) total += w[k];
        do kept += w[i++];
        while (kept < top * total);
        for (i = 0, sum = w[0]; sum <= draws[row] * kept;) sum += w[++i];
        choices[row] = (double)i;
    }
}

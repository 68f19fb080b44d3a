// The first index of the largest element of each row: exact.
void reference(const double *x, double *where, double *where_bound, int64_t rows, int64_t columns) {
    (void)where_bound;
    for (int64_t r = 0; r < rows; r++) {
        int64_t best = 0;
        for (int64_t c = 1; c < columns; c++)
            if (x[r * columns + c] > x[r * columns + best]) best = c;
        where[r] = (double)best;
    }
}

void inputs(uint64_t seed, double *x, int64_t rows, int64_t columns) {
    (void)seed;
    for (int64_t i = 0; i < rows * columns; i++) {
        if (columns == 77) x[i] = -INFINITY;
        if (columns == 400) x[i] = -fabs(x[i]);
        if (columns == 700) x[i] = floor(2 * x[i]); // -2 to 1
    }
}

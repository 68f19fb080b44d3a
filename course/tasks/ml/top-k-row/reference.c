// Half of the rows have few different values, so that there are ties.
void inputs(uint64_t seed, double *x, int64_t rows, int64_t columns, int64_t k) {
    (void)seed, (void)k;
    for (int64_t row = 1; row < rows; row += 2)
        for (int64_t i = 0; i < columns; i++) x[row * columns + i] = floor(x[row * columns + i]);
}

void reference(const double *x, double *values, double *values_bound, double *columns_of, double *columns_of_bound, int64_t rows,
               int64_t columns, int64_t k) {
    (void)values_bound, (void)columns_of_bound;
    for (int64_t row = 0; row < rows; row++) {
        bool taken[256] = {false};
        for (int64_t round = 0; round < k; round++) {
            int64_t best = -1;
            for (int64_t i = 0; i < columns; i++)
                if (!taken[i] && (best < 0 || x[row * columns + i] > x[row * columns + best])) best = i;
            taken[best] = true;
            values[row * k + round] = x[row * columns + best];
            columns_of[row * k + round] = best;
        }
    }
}

void reference(double *row, double *row_bound, double *column, double *column_bound, int64_t first,
               int64_t n) {
    (void)row_bound, (void)column_bound;
    for (int64_t i = 0; i < n; i++) {
        // Row low begins at k or before, row high after it.
        int64_t k = first + i, low = 0, high = INT64_C(1) << 22;
        while (high - low > 1) {
            int64_t middle = (low + high) / 2;
            if (middle * (middle + 1) / 2 <= k)
                low = middle;
            else
                high = middle;
        }
        row[i] = (double)low;
        column[i] = (double)(k - low * (low + 1) / 2);
    }
}

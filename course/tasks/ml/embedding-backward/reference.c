void reference(const double *dy, const double *order, const double *starts, double *dtable, double *dtable_bound, int64_t tokens,
               int64_t words, int64_t columns) {
    (void)tokens;
    for (int64_t w = 0; w < words; w++)
        for (int64_t c = 0; c < columns; c++) {
            double sum = 0, size = 0;
            int64_t first = (int64_t)starts[w], end = (int64_t)starts[w + 1];
            for (int64_t k = first; k < end; k++) {
                double term = dy[(int64_t)order[k] * columns + c];
                sum += term, size += fabs(term);
            }
            dtable[w * columns + c] = sum;
            dtable_bound[w * columns + c] = 2 * sqrt((double)(end - first)) * U_F32 * size;
        }
}

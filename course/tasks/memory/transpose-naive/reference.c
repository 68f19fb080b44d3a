// A permutation: nothing is rounded, so no bound is set and out is compared exactly.
void reference(const double *in, double *out, double *out_bound, int64_t rows, int64_t columns) {
    (void)out_bound;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) out[c * rows + r] = in[r * columns + c];
}

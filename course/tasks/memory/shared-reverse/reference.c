// Pieces of 256 elements (the last may be shorter), each less its own mirror image: rounded once.
void reference(const double *x, double *y, double *y_bound, int64_t n) {
    (void)y_bound; // unset: the exact result, rounded once
    for (int64_t i = 0; i < n; i++) {
        int64_t base = i / 256 * 256, length = n - base < 256 ? n - base : 256;
        y[i] = x[i] - x[base + length - 1 - (i - base)];
    }
}

void reference(const double *x, double *greatest, double *greatest_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) greatest[0] = fmax(greatest[0], x[i]);
    greatest_bound[0] = 0;
}

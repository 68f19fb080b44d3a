// Inclusive sums modulo 2^32.
void reference(const double *x, double *y, double *y_bound, int64_t n) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (uint32_t)(int32_t)x[i];
        y[i] = (int32_t)sum;
        y_bound[i] = 0;
    }
}

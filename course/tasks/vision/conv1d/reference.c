// The window slides over x with zeros outside. Sums of at most `taps` products in float.
void reference(const double *x, const double *taps, double *y, double *y_bound, int64_t n, int64_t width) {
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, magnitude = 0;
        for (int64_t j = 0; j < width; j++) {
            int64_t at = i + j - width / 2;
            if (at < 0 || at >= n) continue;
            sum += taps[j] * x[at];
            magnitude += fabs(taps[j] * x[at]);
        }
        y[i] = sum;
        y_bound[i] = (2 + 2 * sqrt((double)width)) * U_F32 * magnitude;
    }
}

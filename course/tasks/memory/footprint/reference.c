// y = (2x + 1)^2 - x, by three steps; held[0]: one or two arrays of n floats, held[1]: nothing left.
void reference(const double *x, double *y, double *y_bound, double *held, double *held_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double t = 2 * x[i] + 1;
        y[i] = t * t - x[i];
        // t is rounded once and squared: two relative errors of t^2 and one of the square; then the difference.
        y_bound[i] = U_F32 * (3 * t * t + fabs(y[i]));
    }
    held[0] = 6.0 * (double)n;       // 4n to 8n bytes
    held_bound[0] = 2.0 * (double)n;
    held[1] = 0;
    held_bound[1] = 0;
}

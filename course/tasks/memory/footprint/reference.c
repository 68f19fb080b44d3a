// y = (2x + 1)^2 - x, by three steps. held: at least one array and at most two, 4n to 8n bytes; on a GPU the
// driver hands out memory by pages of 2 MiB, little shows up as nothing, and loading the
// kernels took 60 MB on an H200. The gates, which the simulator counts, are strict.
void reference(const double *x, double *y, double *y_bound, double *held, double *held_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double t = 2 * x[i] + 1;
        y[i] = t * t - x[i];
        // t is rounded once and squared: twice its relative error, one of the square; then the difference.
        y_bound[i] = U_F32 * (3 * t * t + fabs(y[i]));
    }
    // Other processes on the same GPU come and go: half a gigabyte either way is no mistake there.
    held[0] = 6.0 * (double)n;
    held_bound[0] = 2.0 * (double)n + 5e8;
}

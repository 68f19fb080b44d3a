// y = (2x + 1)^2 - x, by three steps. held: at least one array and at most two, 4n to 8n bytes. On a GPU the
// driver hands out memory by pages of 2 MiB, so that little shows up as nothing; and loading the
// kernels took 60 MB on an H200. The gates, which the simulator counts, are strict.
void reference(const double *x, double *y, double *y_bound, double *held, double *held_bound, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double t = 2 * x[i] + 1;
        y[i] = t * t - x[i];
        // t is rounded once and squared: twice its relative error, one of the square; then the difference.
        y_bound[i] = U_F32 * (3 * t * t + fabs(y[i]));
    }
    double page = 2097152, least = fmax(0, 4.0 * (double)n - page), most = 8.0 * (double)n + 128 * page;
    held[0] = (least + most) / 2;
    held_bound[0] = (most - least) / 2;
}

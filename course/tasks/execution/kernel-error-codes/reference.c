// y = 2 x, whatever happens (exact). status, 1 for an error and 0 for none: of the launch, of a second look
// (nothing), of the retry, of the end of it all. Not the codes themselves: they differ between versions of
// CUDA.
void reference(const double *x, double *y, double *y_bound, double *status, double *status_bound, int64_t n,
               int64_t threads) {
    (void)y_bound, (void)status_bound;
    for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
    status[0] = threads < 1 || threads > 1024 ? 1 : 0;
    status[1] = status[2] = status[3] = 0;
}

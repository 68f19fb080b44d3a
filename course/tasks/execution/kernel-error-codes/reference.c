// y = 2 x, whatever happens (exact). status: 9 (cudaErrorInvalidConfiguration) where a block cannot have so many
// threads, then what a second look finds (nothing), what the retry returns, what the end of it all returns.
void reference(const double *x, double *y, double *y_bound, double *status, double *status_bound, int64_t n,
               int64_t threads) {
    (void)y_bound, (void)status_bound;
    for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
    status[0] = threads < 1 || threads > 1024 ? 9 : 0;
    status[1] = status[2] = status[3] = 0;
}

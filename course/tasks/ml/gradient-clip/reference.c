// The sum of n squares: 2 sqrt(n) + 4 u, half of it after the root.
void reference(double *g, double *g_bound, double *norm, double *norm_bound, int64_t n, double limit) {
    double sum = 0, off = U_F32 * (sqrt((double)n) + 6);
    for (int64_t i = 0; i < n; i++) sum += g[i] * g[i];
    norm[0] = sqrt(sum);
    norm_bound[0] = off * norm[0];
    for (int64_t i = 0; i < n; i++) {
        g[i] = norm[0] > limit ? g[i] * limit / norm[0] : g[i];
        g_bound[i] = fabs(g[i]) * (off + 3 * U_F32);
    }
}

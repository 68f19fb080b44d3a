// The distances themselves: roots. By |a|^2 + |b|^2 - 2ab the error of the square is at most E = (k + 4) U (|a| + |b|)^2, to first
// order (each of the three sums has k roundings, the two last additions one each; |ab| <= |a||b|). The root of a square that is off
// by E lies between sqrt(max(0, s - E)) and sqrt(s + E); near 0 that is sqrt(E), which is far more than E, and no less can be asked.
void inputs(uint64_t seed, double *x, double *y, int64_t m, int64_t n, int64_t k) {
    for (int64_t j = 0; j < n; j += 3) { // every third point of y is one of x, so that the distance is 0
        int64_t i = (j * 7 + (int64_t)(seed % 5)) % m;
        for (int64_t p = 0; p < k; p++) y[j * k + p] = x[i * k + p];
    }
}

void reference(const double *x, const double *y, double *d, double *d_bound, int64_t m, int64_t n, int64_t k) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, aa = 0, bb = 0;
            for (int64_t p = 0; p < k; p++) {
                double a = x[i * k + p], b = y[j * k + p];
                sum += (a - b) * (a - b), aa += a * a, bb += b * b;
            }
            double off = 1.001 * (double)(k + 4) * U_F32 * (sqrt(aa) + sqrt(bb)) * (sqrt(aa) + sqrt(bb));
            double high = sqrt(sum + off), low = sqrt(fmax(0, sum - off));
            d[i * n + j] = sqrt(sum);
            d_bound[i * n + j] = fmax(high - d[i * n + j], d[i * n + j] - low) + 2 * U_F32 * d[i * n + j];
        }
}

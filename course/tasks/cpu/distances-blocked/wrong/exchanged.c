// fails: gate d1_misses
// Exchanges i and j: now all of x passes by for each point of y, and d is written down its columns.
void distances(const float *x, const float *y, float *d, int m, int n, int k) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += (x[i * k + p] - y[j * k + p]) * (x[i * k + p] - y[j * k + p]);
            d[i * n + j] = sum;
        }
}

// fails: gate d1_misses
// Pieces of 136 points: at k = 64 they are 34 KiB and do not fit.
void distances(const float *x, const float *y, float *d, int m, int n, int k) {
    for (int j0 = 0; j0 < n; j0 += 136)
        for (int i = 0; i < m; i++)
            for (int j = j0; j < n && j < j0 + 136; j++) {
                float sum = 0.0f;
                for (int p = 0; p < k; p++) sum += (x[i * k + p] - y[j * k + p]) * (x[i * k + p] - y[j * k + p]);
                d[i * n + j] = sum;
            }
}

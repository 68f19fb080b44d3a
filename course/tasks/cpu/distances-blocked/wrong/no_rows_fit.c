// fails: timeout
// 256 / k rows: with many coordinates that is none, and the loop never ends.
void distances(const float *x, const float *y, float *d, int m, int n, int k) {
    int rows = 256 / k;
    for (int j0 = 0; j0 < n; j0 += rows)
        for (int i = 0; i < m; i++)
            for (int j = j0; j < n && j < j0 + rows; j++) {
                float sum = 0.0f;
                for (int p = 0; p < k; p++) sum += (x[i * k + p] - y[j * k + p]) * (x[i * k + p] - y[j * k + p]);
                d[i * n + j] = sum;
            }
}

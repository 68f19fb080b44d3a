// fails: gate d1_misses
// 16 KiB divided by k: a coordinate takes four bytes, so the piece is four times as large as it was meant to be.
void distances(const float *x, const float *y, float *d, int m, int n, int k) {
    int rows = 16384 / k;
    for (int j0 = 0; j0 < n; j0 += rows)
        for (int i = 0; i < m; i++)
            for (int j = j0; j < n && j < j0 + rows; j++) {
                float sum = 0.0f;
                for (int p = 0; p < k; p++) sum += (x[i * k + p] - y[j * k + p]) * (x[i * k + p] - y[j * k + p]);
                d[i * n + j] = sum;
            }
}

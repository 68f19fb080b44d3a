// fails: result
// The upper half is never written.
void distances(const float *x, float *d, int n, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += (x[i * k + p] - x[j * k + p]) * (x[i * k + p] - x[j * k + p]);
            d[i * n + j] = sum;
        }
}

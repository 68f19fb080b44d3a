// fails: gate instructions
// Right, and each pair twice.
void distances(const float *x, float *d, int n, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += (x[i * k + p] - x[j * k + p]) * (x[i * k + p] - x[j * k + p]);
            d[i * n + j] = sum;
        }
}

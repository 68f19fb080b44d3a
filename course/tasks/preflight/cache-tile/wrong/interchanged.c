// fails: gate d1_misses
// The loops exchanged, without blocking: whole lines are used, but b passes through the cache 32 times.
void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    for (int i = 0; i < m * n; i++) c[i] = 0.0f;
    for (int i = 0; i < m; i++)
        for (int p = 0; p < k; p++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// fails: gate d1_misses
// Tiles of 8 rows: they fit their 4 sets, but c passes through the cache once for each of them.
void gemm(const float *a, const float *b, float *c, int m, int n, int k, int ldb) {
    for (int i = 0; i < m * n; i++) c[i] = 0.0f;
    for (int p0 = 0; p0 < k; p0 += 8)
        for (int i = 0; i < m; i++)
            for (int p = p0; p < p0 + 8 && p < k; p++)
                for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * ldb + j];
}

// fails: result
// Leaves out the rows of b after the last whole tile.
void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    for (int i = 0; i < m * n; i++) c[i] = 0.0f;
    for (int p0 = 0; p0 + 64 <= k; p0 += 64)
        for (int i = 0; i < m; i++)
            for (int p = p0; p < p0 + 64; p++)
                for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

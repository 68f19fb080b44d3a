// fails: result
// Adds to c, which holds garbage.
void gemm(const float *a, const float *b, float *c, long long *flops, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < k; p++) c[i * n + j] += a[i * k + p] * b[p * n + j];
    flops[0] = 2LL * m * n * k;
}

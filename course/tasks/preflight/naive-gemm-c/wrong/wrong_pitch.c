// fails: result
// Walks over b with the pitch of a: right for square matrices only, and out of bounds for some.
void gemm(const float *a, const float *b, float *c, long long *flops, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * k + j];
            c[i * n + j] = sum;
        }
    flops[0] = 2LL * m * n * k;
}

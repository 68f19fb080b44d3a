// fails: result
// Reads b as if it were n x k.
void gemm(const float *a, const float *b, float *c, long long *flops, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[j * k + p];
            c[i * n + j] = sum;
        }
    flops[0] = 2LL * m * n * k;
}

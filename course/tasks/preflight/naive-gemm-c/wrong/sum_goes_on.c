// fails: result
// Starts the sum once for the whole matrix.
void gemm(const float *a, const float *b, float *c, long long *flops, int m, int n, int k) {
    float sum = 0.0f;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j];
            c[i * n + j] = sum;
        }
    flops[0] = 2LL * m * n * k;
}

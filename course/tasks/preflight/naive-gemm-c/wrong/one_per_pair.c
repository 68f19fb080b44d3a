// fails: result
// Counts a multiplication and an addition as one operation.
void gemm(const float *a, const float *b, float *c, long long *flops, int m, int n, int k) {
    flops[0] = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j], flops[0]++;
            c[i * n + j] = sum;
        }
}

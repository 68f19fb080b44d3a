// fails: result
// Rounds the sum to half precision after each step.
void gemm(const float *a, const float *b, float *c, long long *flops, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) {
                union {
                    float f;
                    unsigned u;
                } bits = {sum + a[i * k + p] * b[p * n + j]};
                bits.u &= 0xffffe000u; // 10 bits of fraction are left
                sum = bits.f;
            }
            c[i * n + j] = sum;
        }
    flops[0] = 2LL * m * n * k;
}

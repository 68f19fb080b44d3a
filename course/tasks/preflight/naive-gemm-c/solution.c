// c = a b for row-major matrices: a is m x k, b is k x n, c is m x n.
// flops[0] gets the number of operations.

void gemm(const float *a, const float *b, float *c, long long *flops, int m,
          int n, int k) {
    // kz: begin
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j];
            c[i * n + j] = sum;
        }
    flops[0] = 2LL * m * n * k;
    // kz: starter
    //|     // Three loops: rows of c, columns of c, and the sum. Then
    //|     // the number of operations.
    //|     flops[0] = 0;
    // kz: end
}

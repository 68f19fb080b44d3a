// c = a b; a is m x k, c is m x n, both packed. b is a part of a wider
// matrix: k rows, ldb floats apart, of which the first n count.

enum { TILE = 64 };

static int least(int x, int y) { return x < y ? x : y; }

void gemm(const float *a, const float *b, float *c, int m, int n, int k,
          int ldb) {
    for (int i = 0; i < m * n; i++) c[i] = 0.0f;
    // kz: begin
    float tile[TILE * TILE]; // 16 KiB side by side
    // kz: end
    for (int p0 = 0; p0 < k; p0 += TILE)
        for (int j0 = 0; j0 < n; j0 += TILE) {
            int p1 = least(p0 + TILE, k), j1 = least(j0 + TILE, n);
            // kz: begin
            for (int p = p0; p < p1; p++)
                for (int j = j0; j < j1; j++)
                    tile[(p - p0) * TILE + j - j0] = b[p * ldb + j];
            for (int i = 0; i < m; i++)
                for (int p = p0; p < p1; p++)
                    for (int j = j0; j < j1; j++)
                        c[i * n + j] +=
                            a[i * k + p] * tile[(p - p0) * TILE + j - j0];
            // kz: starter
            //|             for (int i = 0; i < m; i++)
            //|                 for (int p = p0; p < p1; p++)
            //|                     for (int j = j0; j < j1; j++)
            //|                         c[i * n + j] += a[i * k + p] * b[p * ldb + j];
            // kz: end
        }
}

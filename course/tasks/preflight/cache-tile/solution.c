// c = a b for row-major matrices, blocked so that a piece of b stays in the
// first-level cache while it is used.

// kz: begin
// 64 x 64 floats of b are 16 KiB: half of a cache of 32 KiB,
// the rest is for a and c
enum { TILE = 64 };

static int least(int x, int y) { return x < y ? x : y; }

void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    for (int i = 0; i < m * n; i++) c[i] = 0.0f;
    for (int p0 = 0; p0 < k; p0 += TILE)
        for (int j0 = 0; j0 < n; j0 += TILE) {
            int p1 = least(p0 + TILE, k), j1 = least(j0 + TILE, n);
            for (int i = 0; i < m; i++)
                for (int p = p0; p < p1; p++)
                    for (int j = j0; j < j1; j++)
                        c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
}
// kz: starter
//| void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
//|     for (int i = 0; i < m; i++)
//|         for (int j = 0; j < n; j++) {
//|             float sum = 0.0f;
//|             for (int p = 0; p < k; p++) sum += a[i * k + p] * b[p * n + j];
//|             c[i * n + j] = sum;
//|         }
//| }
// kz: end

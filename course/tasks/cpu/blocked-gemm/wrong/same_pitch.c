// fails: gate d1_misses
// Copies the tile, and keeps the pitch of b: the same sets again.
#include <stdlib.h>
enum { TILE = 64 };
static int least(int x, int y) { return x < y ? x : y; }
void gemm(const float *a, const float *b, float *c, int m, int n, int k, int ldb) {
    float *tile = malloc((size_t)TILE * (size_t)ldb * sizeof *tile);
    for (int i = 0; i < m * n; i++) c[i] = 0.0f;
    for (int p0 = 0; p0 < k; p0 += TILE) {
        int p1 = least(p0 + TILE, k);
        for (int p = p0; p < p1; p++)
            for (int j = 0; j < n; j++) tile[(p - p0) * ldb + j] = b[p * ldb + j];
        for (int i = 0; i < m; i++)
            for (int p = p0; p < p1; p++)
                for (int j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * tile[(p - p0) * ldb + j];
    }
    free(tile);
}

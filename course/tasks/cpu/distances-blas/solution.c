// d[i * n + j] = the distance (not squared) of point i of x and point j of
// y; m and n points of k coordinates.
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

// kz: begin
static float square(const float *a, int k) {
    float sum = 0.0f;
    for (int p = 0; p < k; p++) sum += a[p] * a[p];
    return sum;
}
// kz: end

void distances(const float *x, const float *y, float *d, int m, int n,
               int k) {
    // kz: begin
    float *norms = malloc((size_t)n * sizeof *norms);
    if (!norms) return;
    for (int j = 0; j < n; j++) norms[j] = square(&y[j * k], k);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, -2.0f, x,
                k, y, k, 0.0f, d, n);
    for (int i = 0; i < m; i++) {
        float own = square(&x[i * k], k);
        for (int j = 0; j < n; j++) {
            float squared = d[i * n + j] + own + norms[j];
            // rounding may leave it a little below 0
            d[i * n + j] = squared > 0.0f ? sqrtf(squared) : 0.0f;
        }
    }
    free(norms);
    // kz: starter
    //|     // d = -2 x y^T by cblas_sgemm, then add the squared lengths of
    //|     // both points, then the root.
    //|     (void)sqrtf;
    //|     (void)malloc;
    // kz: end
}

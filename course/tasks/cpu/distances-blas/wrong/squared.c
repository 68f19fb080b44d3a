// fails: result
// Forgets the root.
#include <cblas.h>
#include <math.h>
static float square(const float *a, int k) {
    float sum = 0.0f;
    for (int p = 0; p < k; p++) sum += a[p] * a[p];
    return sum;
}
void distances(const float *x, const float *y, float *d, int m, int n, int k) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, -2.0f, x, k, y, k, 0.0f, d, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            d[i * n + j] = fmaxf(0.0f, d[i * n + j] + square(&x[i * k], k) + square(&y[j * k], k));
}

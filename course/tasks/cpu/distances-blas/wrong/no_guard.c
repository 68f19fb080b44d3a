// fails: result "NaN"
// The root of a square that rounding made negative.
#include <cblas.h>
#include <math.h>
void distances(const float *x, const float *y, float *d, int m, int n, int k) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, -2.0f, x, k, y, k, 0.0f, d, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            d[i * n + j] = sqrtf(d[i * n + j] + cblas_sdot(k, &x[i * k], 1, &x[i * k], 1) +
                                 cblas_sdot(k, &y[j * k], 1, &y[j * k], 1));
}

// fails: gate instructions
// The call is there, but a loop does the work.
#include <cblas.h>
void update(const float *w, const float *x, float *y, int m, int n, int k, int ldx, float alpha) {
    if (k == 0) cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, w, k, x, ldx, 1.0f, y, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int p = 0; p < k; p++) sum += w[i * k + p] * x[j * ldx + p];
            y[i * n + j] += alpha * sum;
        }
}

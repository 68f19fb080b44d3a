// fails: result
// Takes k for the distance of x's rows.
#include <cblas.h>
void update(const float *w, const float *x, float *y, int m, int n, int k, int ldx, float alpha) {
    (void)ldx;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, w, k, x, k, 1.0f, y, n);
}
